import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Confirmation, Confirmations } from '../plugin/confirmations.ts'
import type { ReadContext, WriteContext } from '../plugin/context.ts'
import { ToolError } from '../plugin/errors.ts'
import { iso } from '../plugin/sql.ts'
import { CONFIRMATION_MS, type ConfirmedCall } from './confirmation.ts'

/** Calls of one credential that may wait for a decision at a time. */
const MOST_OPEN = 20
const ID = /^[\w-]{32}$/

/** The key by which the change feed tells of a decision. */
export const confirmationKey = (id: string): string => `confirmation:${id}`

/** Keeps what the user is asked; the arguments stay with the call. @returns the id. @throws ToolError rate_limited */
export async function openConfirmation(ctx: WriteContext, call: ConfirmedCall, effect: string): Promise<string> {
  const id = randomBytes(24).toString('base64url')
  const { actor, now } = ctx
  const expires = new Date(now.getTime() + CONFIRMATION_MS)
  const { rows } = await sql`
    insert into core.page_confirmations
      (owner_id, id, credential_id, credential, client, tool, digest, effect, created_at, expires_at)
    select ${actor.userId}::uuid, ${id}, ${call.credential}::uuid, ${actor.credentialLabel}::text, ${actor.client}::text,
      ${ctx.call.name}, ${call.digest}, ${effect}, ${now}::timestamptz, ${expires}::timestamptz
    where (
      select count(*) from core.page_confirmations
      where owner_id = ${actor.userId}::uuid and credential_id = ${call.credential}::uuid
        and decided_at is null and expires_at > ${now}::timestamptz
    ) < ${MOST_OPEN}
    returning id
  `.execute(ctx.db)
  if (rows.length > 0) return id
  throw new ToolError(
    'rate_limited',
    `${MOST_OPEN} calls of this credential already wait for the user's confirmation`,
    {
      hint: 'Ask the user to answer those, or send this call again in 10 minutes.',
      retryable: true,
    },
  )
}

/**
 * Uses an agreement up, in the transaction of the write it allows: of two calls that try at once one gets it, and a write that fails
 * leaves it good for another try.
 * @throws ToolError confirmation_invalid
 */
export async function useConfirmation(ctx: WriteContext, call: ConfirmedCall, id: string): Promise<void> {
  const since = new Date(ctx.now.getTime() - CONFIRMATION_MS)
  const { rows } = await sql`
    update core.page_confirmations set used_at = ${ctx.now}
    where owner_id = ${ctx.actor.userId} and id = ${id} and credential_id = ${call.credential} and digest = ${call.digest}
      and agreed and used_at is null and decided_at > ${since}
    returning id
  `.execute(ctx.db)
  if (rows.length > 0) return
  throw new ToolError('confirmation_invalid', 'The confirmation was used already, or is older than 10 minutes', {
    hint: 'Send the call anew to have the user asked again.',
  })
}

/** Ends one that nobody waits for any more. */
export async function closeConfirmation(ctx: WriteContext, id: string): Promise<void> {
  await sql`
    update core.page_confirmations set expires_at = ${ctx.now}
    where owner_id = ${ctx.actor.userId} and id = ${id} and decided_at is null and expires_at > ${ctx.now}
  `.execute(ctx.db)
}

/** What the caller decides on a page. */
export const confirmations: Confirmations = {
  async find(ctx: ReadContext, id: string): Promise<Confirmation | null> {
    if (!ID.test(id)) return null
    const { rows } = await sql<Confirmation>`
      select id, tool, effect, client, credential, ${iso('created_at')} as "createdAt", ${iso('expires_at')} as "expiresAt",
        case when agreed then 'agreed' when decided_at is not null then 'declined'
          when expires_at > ${ctx.now} then 'open' else 'over' end as status
      from core.page_confirmations where owner_id = ${ctx.actor.userId} and id = ${id}
    `.execute(ctx.db)
    return rows[0] ?? null
  },
  async decide(ctx: WriteContext, id: string, agreed: boolean): Promise<void> {
    if (!(await confirmations.find(ctx, id))) throw new ToolError('not_found', 'There is no such confirmation')
    await sql`
      update core.page_confirmations set decided_at = ${ctx.now}, agreed = ${agreed}
      where owner_id = ${ctx.actor.userId} and id = ${id} and decided_at is null and expires_at > ${ctx.now}
    `.execute(ctx.db)
    ctx.recordsChanged([confirmationKey(id)])
  },
}
