import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { isUnavailable } from '../db/failure.ts'
import { logRepeated } from '../db/repeated-log.ts'
import { RequestRefusal } from '../http/request-refusal.ts'
import { errorResponse, httpError, INTERNAL_ERROR, PARSE_ERROR, readableId, RpcError } from './message.ts'
import type { RequestId } from './message.ts'
import type { PostRequest } from './post-request.ts'
import type { RequestContext } from './request-context.ts'

/** The answer to one request: a JSON-RPC response as text or UTF-8 bytes. */
export interface Reply {
  readonly body: string | Buffer
  readonly status: number
  readonly headers: Readonly<Record<string, string>> | null
}

export const JSON_TYPE = 'application/json; charset=utf-8'

export function setHeaders(reply: FastifyReply, headers: Readonly<Record<string, string>> | null): void {
  if (headers) reply.headers(headers)
}

/** Converts a protocol error to its response. */
export function toErrorReply(id: RequestId | null, error: RpcError): Reply {
  return { body: errorResponse(id, error), status: error.status, headers: error.headers }
}

/** Answers a POST: as JSON, or as the last message of the event stream if one was opened. */
export function sendReply(post: PostRequest, { cancellation }: RequestContext, answer: Reply): FastifyReply {
  const { stream, reply, takesJson } = post
  if (cancellation.cancelled) return abandon(post)
  if (!stream.opened && takesJson) return sendJson(reply, answer)
  setHeaders(reply, answer.headers)
  stream.send(String(answer.body))
  stream.end()
  return reply
}

/** Ends a cancelled request without a response; if the connection is still open, its stream ends empty. */
function abandon({ stream, reply, http }: PostRequest): FastifyReply {
  if (!stream.opened && !stream.usable && !http.raw.destroyed) return reply.code(202).send()
  stream.end()
  if (!reply.sent) reply.hijack()
  return reply
}

function sendJson(reply: FastifyReply, { body, status, headers }: Reply): FastifyReply {
  setHeaders(reply, headers)
  return reply.code(status).header('content-type', JSON_TYPE).send(body)
}

/** Answers a message that the protocol rejects before dispatch. @throws any other error, for `answerError` */
export function refuse(reply: FastifyReply, body: unknown, error: unknown): FastifyReply {
  if (!(error instanceof RpcError)) throw error
  return sendJson(reply, toErrorReply(readableId(body), error))
}

/** Error handler of the endpoint, for errors before a message was parsed. */
export function answerError(
  error: FastifyError | RpcError | RequestRefusal,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const refused = error instanceof RpcError ? error : toRpcError(error)
  if (refused.status >= 500 && !(error instanceof RequestRefusal)) logFailure(error, request)
  void sendJson(reply, toErrorReply(null, refused))
}

function logFailure(error: Error, { raw, log }: FastifyRequest): void {
  if (raw.destroyed && !raw.complete) log.debug({ err: error }, 'request aborted by its client')
  else if (isUnavailable(error)) logRepeated(log, { err: error }, 'the database could not answer')
  else log.error({ err: error }, 'request failed')
}

/** Converts an error outside of a call to a protocol error. */
export function toRpcError(error: FastifyError | RequestRefusal): RpcError {
  if (error instanceof RequestRefusal) {
    const { statusCode: status, message, headers } = error
    if (status === 400) return new RpcError(PARSE_ERROR, `Parse error: ${message}`, { status })
    const data = status === 503 ? { code: error.code, retryable: true } : undefined
    return new RpcError(status === 503 ? INTERNAL_ERROR : status, message, { status, headers, data })
  }
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return httpError(415, 'Content-Type must be application/json')
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return httpError(413, 'The request is larger than the service accepts')
  }
  if (isUnavailable(error)) {
    const data = { code: 'unavailable', retryable: true }
    const message = 'The service could not do this just now. Send the same call again in a few seconds.'
    return new RpcError(INTERNAL_ERROR, message, { status: 503, headers: { 'retry-after': '2' }, data })
  }
  const { statusCode = 500 } = error
  if (statusCode >= 400 && statusCode < 500) return httpError(statusCode, 'The request could not be read')
  return new RpcError(INTERNAL_ERROR, 'Internal error', { status: 500 })
}
