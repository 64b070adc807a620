import type { ReadContext, WriteContext } from '../plugin/context.ts'
import { isStorable } from '../plugin/clip.ts'
import { ToolError } from '../plugin/errors.ts'
import type { Sealer } from '../plugin/sealer.ts'
import type { RequestContext } from './request-context.ts'
import { deleteOldKeys, findKey, insertKey, setResult, type KeyedCall } from './idempotency.repository.ts'
import { readMeta } from './message.ts'
import type { Outcome } from './tool-result.ts'
import { DAY_MS } from '../plugin/durations.ts'

const LIFETIME_MS = DAY_MS

/** Reads the key from `_meta.idempotencyKey`, else from the `Idempotency-Key` header. @throws ToolError if it is invalid */
export function readIdempotencyKey({ request, idempotencyKey: header }: RequestContext): string | undefined {
  const key = readMeta(request.params, 'idempotencyKey') ?? header
  if (key === undefined) return undefined
  if (typeof key === 'string' && key.length >= 1 && key.length <= 200 && isStorable(key)) return key
  throw new ToolError('invalid_argument', 'The idempotency key must be a string of 1 to 200 characters, all valid', {
    field: '_meta.idempotencyKey',
    hint: 'Use a UUID: NUL and halves of surrogate pairs are not allowed.',
  })
}

/**
 * Claims the key in this transaction, or returns the result of the first call with the key.
 * A concurrent second call blocks until the first one ends, because both insert the same row.
 */
export async function claimKey(ctx: WriteContext, call: KeyedCall): Promise<Outcome | null> {
  return (await insertKey(ctx, call, oldest(ctx))) ? null : readStoredResult(ctx, call)
}

/** Returns the result of an earlier call with this key, or null if there was none. @throws ToolError idempotency_conflict */
export async function readStoredResult(ctx: ReadContext, call: KeyedCall): Promise<Outcome | null> {
  const found = await findKey(ctx, call, oldest(ctx))
  if (!found?.result) return null
  if (found.digest !== call.digest)
    throw conflictError(
      `The idempotency key "${call.key}" was used for another call within 24 hours`,
      'Use a fresh key for each different call; repeat a call with exactly the same arguments.',
    )
  const opened = typeof found.result === 'string' ? sealer(ctx).open(found.result, sealPlace(call)) : null
  // The first call took effect; a new key would execute it twice.
  if (opened === null)
    throw conflictError(
      `What the call with the idempotency key "${call.key}" answered is not kept any more`,
      'The call was made. Read what it changed instead of repeating it.',
    )
  return addReplayedFlag(JSON.parse(opened) as Outcome)
}

function conflictError(message: string, hint: string): ToolError {
  return new ToolError('idempotency_conflict', message, { field: '_meta.idempotencyKey', hint })
}

/**
 * Stores the result with the key, encrypted: results may contain signed URLs, which a reader of the database must not be able to use.
 * The data is stored as text, so that a replay is byte-identical.
 */
export async function storeResult(ctx: WriteContext, call: KeyedCall, outcome: Outcome): Promise<void> {
  await setResult(ctx, call, sealer(ctx).seal(JSON.stringify(outcome), sealPlace(call)))
}

const sealer = ({ deployment }: ReadContext): Sealer => deployment.sealer('kept results')
const sealPlace = ({ credential, key }: KeyedCall): string => `${credential} ${key}`

const oldest = (ctx: ReadContext): Date => new Date(ctx.now.getTime() - LIFETIME_MS)

/** Deletes expired keys. */
export function deleteExpiredKeys(ctx: WriteContext): Promise<void> {
  return deleteOldKeys(ctx, oldest(ctx))
}

function addReplayedFlag(outcome: Outcome): Outcome {
  const { data } = outcome
  if (data === null) return outcome
  return { ...outcome, data: data === '{}' ? '{"replayed":true}' : `${data.slice(0, -1)},"replayed":true}` }
}
