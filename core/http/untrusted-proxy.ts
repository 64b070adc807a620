import type { FastifyInstance } from 'fastify'

/**
 * Warns once when requests come through a proxy that is not trusted: all visitors then have its address, and share its limits of
 * sign-in and of wrong tokens.
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
