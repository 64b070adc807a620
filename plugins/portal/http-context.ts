import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HostServices } from 'tasuki/plugin'

/** A request, and the services of its host. */
export interface HttpRequest {
  readonly services: HostServices
  readonly request: FastifyRequest
}

/** A request and the reply to it. */
export interface HttpContext extends HttpRequest {
  readonly reply: FastifyReply
}
