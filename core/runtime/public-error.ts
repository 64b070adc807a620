import { isUnavailable } from '../db/failure.ts'
import type { Log } from '../plugin/context.ts'
import { ToolError } from '../plugin/errors.ts'

/** Turns whatever was thrown into an error that callers may see; one that they cannot act on is logged and answered without its text. */
export function toPublicError(error: unknown, call: string, requestId: string, log: Log): ToolError {
  if (error instanceof ToolError) return error
  if (isUnavailable(error)) {
    log.warn({ err: error, call }, 'the database could not answer')
    return new ToolError('unavailable', 'The service could not do this just now', {
      hint: 'Send the same call again in a few seconds.',
      retryable: true,
    })
  }
  log.error({ err: error, call }, 'call failed')
  return new ToolError('internal', 'The call failed because of a fault in the service', {
    hint: 'Calling again with other arguments will not help; report the request id to the operator.',
    details: { request_id: requestId },
  })
}
