import type { FastifyInstance } from 'fastify'

/**
 * Warns once if requests come through an untrusted proxy, because all clients then share its address and its limits for sign-in and invalid
 * tokens.
 */
export function warnOfUntrustedProxy(app: FastifyInstance, trusted: readonly string[]): void {
  if (trusted.length > 0) return
  let warned = false
  app.addHook('onRequest', (request, _reply, done) => {
    if (!warned && request.headers['x-forwarded-for'] !== undefined) {
      warned = true
      app.log.warn(
        { proxy: request.ip },
        `requests come through a proxy at ${request.ip}, and trusted_proxies is empty: all visitors count as one address ` +
          'for limits of sign-in. Name the proxy in trusted_proxies',
      )
    }
    done()
  })
}
