import type { FastifyReply, FastifyRequest } from 'fastify'
import { RequestRefusal } from './request-refusal.ts'
import { toPublicError } from '../runtime/public-error.ts'
import { errorBody, ToolError, type ErrorCode, type ErrorHelp } from '../plugin/errors.ts'

/** The status of refusals; what is not here is a fault. */
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

/** A request without a credential that counts. */
export class Unauthorized extends ToolError {
  readonly challenge: Readonly<Record<string, string>>
  constructor(message: string, help: ErrorHelp, challenge: Readonly<Record<string, string>>) {
    super('forbidden', message, help)
    this.challenge = challenge
  }
}

/**
 * Answers what an HTTP route threw as `{"error":{…}}`, shaped as errors of tools are. A database that is away is 503 with `Retry-After`;
 * whatever else was not meant for the caller is logged, and 500 without its text.
 */
export function answerRouteError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const publicError =
    toFastifyRefusal(error) ?? toPublicError(error, request.routeOptions.url ?? 'route', request.id, request.log)
  if (publicError instanceof Unauthorized) reply.code(401).headers(publicError.challenge)
  else reply.code(STATUS[publicError.code] ?? 500)
  if (error instanceof RequestRefusal) reply.headers(error.headers)
  if (publicError.code === 'unavailable' && publicError.help.retryable === true) reply.header('retry-after', '2')
  return reply.type('application/json; charset=utf-8').send({ error: errorBody(publicError) })
}

/** What Fastify refused before the route saw it. */
function toFastifyRefusal(error: unknown): ToolError | null {
  if (error instanceof ToolError) return null
  if (error instanceof RequestRefusal)
    return new ToolError(error.code, `${error.message}.`, { retryable: error.code === 'unavailable' })
  const { statusCode = 500, code } = error as { readonly statusCode?: number; readonly code?: string }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new ToolError('limit_exceeded', 'The request is larger than the service accepts.')
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new ToolError('unsupported_media_type', 'Content-Type must be application/json.')
  if (typeof code !== 'string' || !code.startsWith('FST_') || statusCode >= 500) return null
  return new ToolError('invalid_argument', 'The body is not JSON.', { field: 'body' })
}
