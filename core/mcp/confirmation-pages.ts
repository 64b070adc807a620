import { randomBytes } from 'node:crypto'
import type { Confirmation, Confirmations } from '../plugin/confirmations.ts'
import type { ReadContext, WriteContext } from '../plugin/context.ts'
import { ToolError } from '../plugin/errors.ts'
import { CONFIRMATION_MS } from './confirmation.ts'
import { digestEffect } from './digest.ts'
import {
  consumeAgreement,
  findConfirmation,
  insertConfirmation,
  updateOpenConfirmation,
} from './confirmation.repository.ts'
import type { ConfirmedCall } from './confirmation.repository.ts'

/** Limit of pending confirmations per credential. */
const MAX_OPEN = 20
const ID = /^[\w-]{32}$/

/** Key of a confirmation in the change feed. */
export const confirmationKey = (id: string): string => `confirmation:${id}`

/** Stores a pending confirmation, without the arguments of the call. @returns its id. @throws ToolError rate_limited */
export async function openConfirmation(ctx: WriteContext, call: ConfirmedCall, effect: string): Promise<string> {
  const id = randomBytes(24).toString('base64url')
  const expires = new Date(ctx.now.getTime() + CONFIRMATION_MS)
  if (await insertConfirmation(ctx, call, { id, effect, expires }, MAX_OPEN)) return id
  throw new ToolError('rate_limited', `${MAX_OPEN} calls of this credential already wait for the user's confirmation`, {
    hint: 'Ask the user to answer those, or send this call again in 10 minutes.',
    retryable: true,
  })
}

/**
 * Consumes an agreement in the transaction of the write that it allows. Of two concurrent calls only one succeeds, and a failed write
 * leaves the agreement usable.
 * @returns digest of the effect that was asked
 * @throws ToolError confirmation_invalid
 */
export async function consumeConfirmation(ctx: WriteContext, call: ConfirmedCall, id: string): Promise<string> {
  const since = new Date(ctx.now.getTime() - CONFIRMATION_MS)
  const effect = await consumeAgreement(ctx, call, id, since)
  if (effect !== undefined) return digestEffect(effect)
  throw new ToolError('confirmation_invalid', 'The confirmation was used already, or is older than 10 minutes', {
    hint: 'Send the call again to ask the user once more.',
  })
}

/** Confirmations of the caller, for the page on which the user decides. */
export const confirmations: Confirmations = {
  async find(ctx: ReadContext, id: string): Promise<Confirmation | null> {
    return ID.test(id) ? ((await findConfirmation(ctx, id)) ?? null) : null
  },
  async decide(ctx: WriteContext, id: string, agreed: boolean): Promise<void> {
    if (!(await confirmations.find(ctx, id))) throw new ToolError('not_found', 'There is no such confirmation')
    await updateOpenConfirmation(ctx, id, { decided_at: ctx.now, agreed })
    ctx.recordsChanged([confirmationKey(id)])
  },
}
