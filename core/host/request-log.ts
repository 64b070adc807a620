import { LogController, type FastifyReply, type FastifyRequest } from 'fastify'
import { randomBytes } from 'node:crypto'

/** Ids of requests: callers report them, so each must be the only one in the logs of all instances. */
export function requestIds(): () => string {
  const instance = randomBytes(9).toString('base64url')
  let count = 0
  return () => `${instance}-${(++count).toString(36)}`
}

/**
 * One line per request, at level debug, or info where it was refused; /metrics counts them all.
 * Fastify's own two lines at level info cost half as much as a whole call.
 */
export class RequestLog extends LogController {
  override incomingRequest(): void {
    // The line at the end tells the same and more.
  }

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    const { log, statusCode } = reply
    const line = { req: request, res: reply, responseTime: reply.elapsedTime }
    if (error && request.raw.destroyed) log.debug({ ...line, err: error }, 'request aborted by its client')
    else if (error) log.error({ ...line, err: error }, 'request errored')
    else if (statusCode >= 400) log.info(line, 'request refused')
    else log.debug(line, 'request completed')
  }
}
