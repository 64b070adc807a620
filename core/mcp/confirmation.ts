import { randomBytes } from 'node:crypto'
import type { ClientRequest, WriteContext } from '../plugin/context.ts'
import { ToolError } from '../plugin/errors.ts'
import { deleteToken, insertToken, type ConfirmedCall } from './confirmation.repository.ts'
import { digestEffect, EFFECT_DIGITS, sha256 } from './digest.ts'
import { MINUTE_MS } from '../plugin/durations.ts'

/** How long a user may take to agree, and how long the agreement is valid. */
export const CONFIRMATION_MS = 10 * MINUTE_MS

/** Parameter that the registry adds to tools that need a confirmation. */
export const CONFIRM_TOKEN = 'confirm_token'

/** Stores the hash of a new token and returns the error that contains the token. */
export async function askForToken(ctx: WriteContext, call: ConfirmedCall, effect: string): Promise<ToolError> {
  const token = `cfm_${randomBytes(24).toString('base64url')}${digestEffect(effect)}`
  const expires = new Date(ctx.now.getTime() + CONFIRMATION_MS).toISOString()
  await insertToken(ctx, {
    hash: sha256(token),
    credential_id: call.credential,
    digest: call.digest,
    expires_at: expires,
  })
  return new ToolError('confirmation_required', `Nothing was changed yet. This call would: ${effect}`, {
    field: CONFIRM_TOKEN,
    hint: `Ask the user; if they agree, send the same call again with ${CONFIRM_TOKEN} within 10 minutes.`,
    details: { effect, [CONFIRM_TOKEN]: token, expires_at: expires },
  })
}

/**
 * Consumes a token in the transaction of the write that it allows: the commit deletes the token, and a failed write leaves it usable.
 * @returns digest of the effect that was asked
 * @throws ToolError confirmation_invalid
 */
export async function consumeToken(ctx: WriteContext, call: ConfirmedCall, token: string): Promise<string> {
  if (await deleteToken(ctx, call, sha256(token))) return token.slice(-EFFECT_DIGITS)
  throw new ToolError(
    'confirmation_invalid',
    `The ${CONFIRM_TOKEN} was used already, is older than 10 minutes, or belongs to another tool, other arguments or another credential`,
    { field: CONFIRM_TOKEN, hint: `Send the call without ${CONFIRM_TOKEN} to get a new one.` },
  )
}

/** Builds the confirmation request for clients that can show a form. */
export function confirmationForm(effect: string): ClientRequest {
  return {
    method: 'elicitation/create',
    params: {
      message: `Please confirm: ${effect}`,
      requestedSchema: {
        type: 'object',
        properties: { confirm: { type: 'boolean', title: 'Confirm', description: effect } },
        required: ['confirm'],
      },
    },
  }
}

/** Page that asks the user to confirm one call. */
export interface ConfirmationPage {
  readonly id: string
  readonly url: string
  readonly effect: string
}

/** Builds the request to open a page. */
export function confirmationLink({ url, effect }: ConfirmationPage): ClientRequest {
  return {
    method: 'elicitation/create',
    params: { mode: 'url', message: `Please confirm on the page: ${effect}`, url },
  }
}

/** Builds the same request for 2025-11-25, which requires an id; the notification of the decision refers to it. */
export function identifiedLink(page: ConfirmationPage): ClientRequest {
  const { method, params } = confirmationLink(page)
  return { method, params: { ...params, elicitationId: page.id } }
}

/** Returns whether an answer to `confirmationForm` is an agreement. */
export function isAgreement(answer: Readonly<Record<string, unknown>>): boolean {
  return (
    answer['action'] === 'accept' && (answer['content'] as Record<string, unknown> | undefined)?.['confirm'] === true
  )
}

export function otherEffectError(effect: string): ToolError {
  return new ToolError(
    'confirmation_invalid',
    `Nothing was changed: the user agreed to something else than: ${effect}`,
    {
      field: CONFIRM_TOKEN,
      hint: `Send the call without ${CONFIRM_TOKEN} to ask again.`,
    },
  )
}

export function declinedError(): ToolError {
  return new ToolError('confirmation_required', 'The user did not agree, so nothing was changed', {
    hint: 'Do not send this call again unless the user asks for it.',
    details: { declined: true },
  })
}
