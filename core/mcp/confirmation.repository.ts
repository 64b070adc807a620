import { sql } from 'kysely'
import type { Confirmation } from '../plugin/confirmations.ts'
import type { ReadContext, WriteContext } from '../plugin/context.ts'
import { iso } from '../plugin/sql.ts'
import type { NewRow } from '../plugin/tables.ts'

/** What a confirmation is good for. */
export interface ConfirmedCall {
  readonly credential: string
  /** Digest of tool and arguments. */
  readonly digest: string
}

/** Keeps the hash of a confirm token, and deletes those that have expired. */
export async function insertToken({ db, now }: WriteContext, token: NewRow<'core.confirmations'>): Promise<void> {
  await db
    .with('expired', inner => inner.deleteFrom('core.confirmations').where('expires_at', '<=', now.toISOString()))
    .insertInto('core.confirmations')
    .values(token)
    .execute()
}

/** Takes a token for the call that it is good for. @returns false when there is none */
export async function takeToken(
  { db, now }: WriteContext,
  { credential, digest }: ConfirmedCall,
  hash: string,
): Promise<boolean> {
  const row = await db
    .deleteFrom('core.confirmations')
    .where('hash', '=', hash)
    .where('credential_id', '=', credential)
    .where('digest', '=', digest)
    .where('expires_at', '>', now.toISOString())
    .returning('hash')
    .executeTakeFirst()
  return row !== undefined
}

/** What the user of a call is asked on a page. */
export interface NewConfirmation {
  readonly id: string
  readonly effect: string
  readonly expires: Date
}

/** Keeps a confirmation unless too many of the credential are open. @returns whether it was kept */
export async function insertConfirmation(
  { db, actor, now, call: { name } }: WriteContext,
  { credential, digest }: ConfirmedCall,
  { id, effect, expires }: NewConfirmation,
  mostOpen: number,
): Promise<boolean> {
  const { rows } = await sql`
    insert into core.page_confirmations
      (owner_id, id, credential_id, credential, client, tool, digest, effect, created_at, expires_at)
    select ${actor.userId}::uuid, ${id}, ${credential}::uuid, ${actor.credentialLabel}::text, ${actor.client}::text,
      ${name}, ${digest}, ${effect}, ${now}::timestamptz, ${expires}::timestamptz
    where (
      select count(*) from core.page_confirmations
      where owner_id = ${actor.userId}::uuid and credential_id = ${credential}::uuid
        and decided_at is null and expires_at > ${now}::timestamptz
    ) < ${mostOpen}
    returning id
  `.execute(db)
  return rows.length > 0
}

/** Uses up an agreement that was given after an instant. @returns false when there is none */
export async function useAgreement(
  { db, actor, now }: WriteContext,
  { credential, digest }: ConfirmedCall,
  id: string,
  since: Date,
): Promise<boolean> {
  const row = await db
    .updateTable('core.page_confirmations')
    .set({ used_at: now })
    .where('owner_id', '=', actor.userId)
    .where('id', '=', id)
    .where('credential_id', '=', credential)
    .where('digest', '=', digest)
    .where('agreed', '=', true)
    .where('used_at', 'is', null)
    .where('decided_at', '>', since.toISOString())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Changes one of the caller's that is open; does nothing where it is not. */
export async function changeOpen(
  { db, actor, now }: WriteContext,
  id: string,
  changes: { readonly expires_at: Date } | { readonly decided_at: Date; readonly agreed: boolean },
): Promise<void> {
  await db
    .updateTable('core.page_confirmations')
    .set(changes)
    .where('owner_id', '=', actor.userId)
    .where('id', '=', id)
    .where('decided_at', 'is', null)
    .where('expires_at', '>', now.toISOString())
    .execute()
}

/** Finds one of the caller's. */
export function findConfirmation({ db, actor, now }: ReadContext, id: string): Promise<Confirmation | undefined> {
  return db
    .selectFrom('core.page_confirmations')
    .select(eb => [
      'id',
      'tool',
      'effect',
      'client',
      'credential',
      iso('created_at').as('createdAt'),
      iso('expires_at').as('expiresAt'),
      eb
        .case()
        .when('agreed', '=', true)
        .then('agreed' as const)
        .when('decided_at', 'is not', null)
        .then('declined' as const)
        .when('expires_at', '>', now.toISOString())
        .then('open' as const)
        .else('over' as const)
        .end()
        .as('status'),
    ])
    .where('owner_id', '=', actor.userId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Deletes confirmations that have expired: those by token at once, those by page after an instant, so that it can tell what became of them. */
export async function deleteOldConfirmations({ db, now }: WriteContext, pagesBefore: Date): Promise<void> {
  await db.deleteFrom('core.confirmations').where('expires_at', '<', now.toISOString()).execute()
  await db.deleteFrom('core.page_confirmations').where('expires_at', '<', pagesBefore.toISOString()).execute()
}
