import { sql } from 'kysely'
import type { Confirmation } from '../plugin/confirmations.ts'
import type { ReadContext, WriteContext } from '../plugin/context.ts'
import { iso } from '../plugin/sql.ts'
import type { NewRow } from '../plugin/tables.ts'

/** The call that a confirmation is valid for. */
export interface ConfirmedCall {
  readonly credential: string
  /** Digest of tool and arguments. */
  readonly digest: string
}

/** Stores the hash of a confirm token and deletes expired tokens. */
export async function insertToken({ db, now }: WriteContext, token: NewRow<'core.confirmations'>): Promise<void> {
  await db
    .with('expired', inner => inner.deleteFrom('core.confirmations').where('expires_at', '<=', now.toISOString()))
    .insertInto('core.confirmations')
    .values(token)
    .execute()
}

/** Consumes a token for the call that it is valid for. @returns false if there is none */
export async function deleteToken(
  { db, now }: WriteContext,
  { credential, digest }: ConfirmedCall,
  hash: string,
): Promise<boolean> {
  const row = await db
    .deleteFrom('core.confirmations')
    .where(({ and }) => and({ hash, credential_id: credential, digest }))
    .where('expires_at', '>', now.toISOString())
    .returning('hash')
    .executeTakeFirst()
  return row !== undefined
}

/** Details of a new confirmation page. */
export interface NewConfirmation {
  readonly id: string
  readonly effect: string
  readonly expires: Date
}

/** Inserts a confirmation unless the credential has too many open ones. @returns whether it was inserted */
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

/** Consumes an agreement that was given after `since`. @returns the effect; undefined if there is none */
export async function consumeAgreement(
  { db, actor, now }: WriteContext,
  { credential, digest }: ConfirmedCall,
  id: string,
  since: Date,
): Promise<string | undefined> {
  const row = await db
    .updateTable('core.page_confirmations')
    .set({ used_at: now })
    .where(({ and }) => and({ owner_id: actor.userId, id, credential_id: credential, digest, agreed: true }))
    .where('used_at', 'is', null)
    .where('decided_at', '>', since.toISOString())
    .returning('effect')
    .executeTakeFirst()
  return row?.effect
}

/** Updates an open confirmation of the caller; does nothing if it is not open. */
export async function updateOpenConfirmation(
  { db, actor, now }: WriteContext,
  id: string,
  changes: { readonly expires_at: Date } | { readonly decided_at: Date; readonly agreed: boolean },
): Promise<void> {
  await db
    .updateTable('core.page_confirmations')
    .set(changes)
    .where(({ and }) => and({ owner_id: actor.userId, id }))
    .where('decided_at', 'is', null)
    .where('expires_at', '>', now.toISOString())
    .execute()
}

/** Finds a confirmation of the caller. */
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
    .where(({ and }) => and({ owner_id: actor.userId, id }))
    .executeTakeFirst()
}

/**
 * Deletes expired confirm tokens, and confirmation pages that expired before `pagesBefore`. Pages are kept longer so that they can still
 * show their outcome.
 */
export async function deleteOldConfirmations({ db, now }: WriteContext, pagesBefore: Date): Promise<void> {
  await db.deleteFrom('core.confirmations').where('expires_at', '<', now.toISOString()).execute()
  await db.deleteFrom('core.page_confirmations').where('expires_at', '<', pagesBefore.toISOString()).execute()
}
