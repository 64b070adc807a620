import type { FastifyInstance } from 'fastify'

const HEADER = 'strict-transport-security'
const YEAR = 'max-age=31536000'

/**
 * Tells browsers to come by https only (RFC 6797), on every answer of a service whose public address is https, or that a trusted proxy was
 * asked for by https. On the socket's own answer, so that it holds for errors, streams and what plugins write themselves.
 */
export function transportSecurity(app: FastifyInstance, baseUrl: () => string): void {
  app.server.prependListener('request', (_request, response) => {
    if (baseUrl().startsWith('https:')) response.setHeader(HEADER, YEAR)
  })
  app.addHook('onRequest', (request, reply, done) => {
    if (request.protocol === 'https' || baseUrl().startsWith('https:')) reply.raw.setHeader(HEADER, YEAR)
    done()
  })
}
