import type { FastifyReply, FastifyRequest } from 'fastify'

/** What a page on an allowed origin may read of a response. */
export const EXPOSED_HEADERS = [
  'WWW-Authenticate',
  'Mcp-Session-Id',
  'MCP-Protocol-Version',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'Deprecation',
  'Sunset',
].join(', ')

/** Lets a page on an allowed origin read the response. @param origin `*` = every page. */
export function allowOrigin(origin: string, reply: FastifyReply): void {
  reply.header('access-control-allow-origin', origin)
  reply.header('access-control-expose-headers', EXPOSED_HEADERS)
  if (origin !== '*') reply.header('vary', 'Origin')
}

/** Answers the question that a browser asks before it posts; whatever headers it names are fine, the token decides. */
export function answerPreflight({ headers }: FastifyRequest, reply: FastifyReply, methods: string): FastifyReply {
  return reply
    .header('access-control-allow-methods', methods)
    .header('access-control-allow-headers', headers['access-control-request-headers'] ?? '')
    .header('access-control-max-age', '86400')
    .header('vary', 'Origin, Access-Control-Request-Headers')
    .code(204)
    .send()
}
