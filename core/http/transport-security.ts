import type { FastifyInstance } from 'fastify'

const HEADER = 'strict-transport-security'
const YEAR = 'max-age=31536000'

/**
 * Sets Strict-Transport-Security (RFC 6797) on every response if the public URL is https, or if a trusted proxy received the request over
 * https. Set on the raw response, so that it also covers errors, streams and responses that plugins write directly.
 */
export function setTransportSecurity(app: FastifyInstance, baseUrl: () => string): void {
  app.server.prependListener('request', (_request, response) => {
    if (baseUrl().startsWith('https:')) response.setHeader(HEADER, YEAR)
  })
  app.addHook('onRequest', (request, reply, done) => {
    if (request.protocol === 'https' || baseUrl().startsWith('https:')) reply.raw.setHeader(HEADER, YEAR)
    done()
  })
}
