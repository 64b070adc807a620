import type { FastifyReply, FastifyRequest } from 'fastify'
import { RequestRefusal } from './request-refusal.ts'
import { toPublicError } from '../runtime/public-error.ts'
import { errorBody, ToolError, type ErrorCode, type ErrorHelp } from '../plugin/errors.ts'

/** HTTP status by error code; other codes are 500. */
const STATUS: Partial<Record<ErrorCode, number>> = {
  invalid_argument: 400,
  missing_argument: 400,
  unknown_argument: 400,
  insufficient_scope: 403,
  forbidden: 403,
  feature_disabled: 403,
  not_found: 404,
  conflict: 409,
  stale_write: 409,
  limit_exceeded: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  unavailable: 503,
  quota_exceeded: 507,
}

/** A request without a valid credential. */
export class Unauthorized extends ToolError {
  readonly challenge: Readonly<Record<string, string>>
  constructor(message: string, help: ErrorHelp, challenge: Readonly<Record<string, string>>) {
    super('forbidden', message, help)
    this.challenge = challenge
  }
}

/**
 * Responds to an error of an HTTP route as `{"error":{…}}`, in the same form as tool errors. An unavailable database becomes 503 with
 * `Retry-After`. An unexpected error is logged and becomes 500 without its message.
 */
export function answerRouteError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const publicError =
    fromFastifyError(error) ?? toPublicError(error, request.routeOptions.url ?? 'route', request.id, request.log)
  if (publicError instanceof Unauthorized) reply.code(401).headers(publicError.challenge)
  else reply.code(STATUS[publicError.code] ?? 500)
  if (error instanceof RequestRefusal) reply.headers(error.headers)
  if (publicError.code === 'unavailable' && publicError.help.retryable === true) reply.header('retry-after', '2')
  return reply.type('application/json; charset=utf-8').send({ error: errorBody(publicError) })
}

/** Converts an error of Fastify from before the route. */
function fromFastifyError(error: unknown): ToolError | null {
  if (error instanceof ToolError) return null
  if (error instanceof RequestRefusal) {
    const field = error.statusCode === 400 && { field: 'body' }
    return new ToolError(error.code, `${error.message}.`, { ...field, retryable: error.code === 'unavailable' })
  }
  const { statusCode = 500, code } = error as { readonly statusCode?: number; readonly code?: string }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new ToolError('limit_exceeded', 'The request is larger than the service accepts.')
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new ToolError('unsupported_media_type', 'Content-Type must be application/json.')
  if (typeof code !== 'string' || !code.startsWith('FST_') || statusCode >= 500) return null
  return new ToolError(statusCode === 413 ? 'limit_exceeded' : 'invalid_argument', `${(error as Error).message}.`)
}
