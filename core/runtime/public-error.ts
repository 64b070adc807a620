import { isOutcomeUnknown, isUnavailable } from '../db/failure.ts'
import { isDiskFull } from '../db/file-problem.ts'
import { logRepeated } from '../db/repeated-log.ts'
import type { Log } from '../plugin/context.ts'
import { ToolError } from '../plugin/errors.ts'

/** Converts any error to one that callers may see. An unexpected error is logged, and its message is not exposed. */
export function toPublicError(error: unknown, call: string, requestId: string, log: Log): ToolError {
  if (error instanceof ToolError) return error
  if (isOutcomeUnknown(error)) {
    log.warn({ err: error, call }, 'whether a call was saved is unknown')
    return unknownOutcomeError({ hasKey: false })
  }
  if (isDiskFull(error)) {
    logRepeated(log, { err: error, call }, 'the disk is full: free some space on it; until then nothing is saved')
    return new ToolError('unavailable', 'The service has no room left on its disk', {
      hint: 'Tell the operator; reading still works. Send the call again when there is room.',
      retryable: true,
    })
  }
  if (isUnavailable(error)) {
    logRepeated(log, { err: error, call }, 'the database could not answer')
    return new ToolError('unavailable', 'The service could not do this just now', {
      hint: 'Send the same call again in a few seconds.',
      retryable: true,
    })
  }
  log.error({ err: error, call }, 'call failed')
  return new ToolError('internal', 'The call failed because of a fault in the service', {
    hint: 'The same call will fail again; report the request id to the operator.',
    details: { request_id: requestId },
  })
}

/** Creates the error for a connection lost during the commit. With an idempotency key, the call can be repeated. */
export function unknownOutcomeError({ hasKey }: { readonly hasKey: boolean }): ToolError {
  return new ToolError(
    'unavailable',
    'The connection to the database was lost while this was saved: it may have been saved or not',
    {
      hint: hasKey
        ? 'Send the same call again with the same idempotency key: it is done once, whatever happened.'
        : 'Read first whether it was done, and send the call again only if it was not. A call with an idempotency key can be repeated safely.',
      retryable: hasKey,
      details: { outcome: 'unknown' },
    },
  )
}
