import type { FastifyInstance } from 'fastify'
import type { ServerOptions } from 'node:http'
import type { OpenRequests } from './open-requests.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Milliseconds in which the body of a request has to arrive; default the deployment's `request_timeout_ms`. */
    readonly bodyTimeout?: number
  }
}

/** How often Node looks for connections whose headers are late. */
const CHECK_MS = 5000
/** How often we look for bodies that are late. */
const LOOK_MS = 1000

/**
 * Options of a server that waits for headers no longer than this, also on a connection that sends nothing at all.
 * Node's own limit of whole requests stays off: it has one value for all routes, and uploads take minutes.
 */
export function enforceHeaderTimeout(timeoutMs: number): ServerOptions {
  return { headersTimeout: timeoutMs, connectionsCheckingInterval: Math.min(CHECK_MS, timeoutMs) }
}

/**
 * Ends requests whose body does not arrive in time: most are read before anybody has shown a credential.
 * How long an answer takes is another matter; calls and streams may run on.
 */
export function enforceBodyTimeout(app: FastifyInstance, open: OpenRequests, timeoutMs: number): void {
  // A look at all of them now and then: nearly all are there at once, and a timer for each costs more than the rest of this.
  const look = (): void => {
    const now = performance.now()
    open.forEach(({ request: { raw }, reply, since }) => {
      if (raw.complete || raw.readableEnded || raw.destroyed) return
      if (since + (reply.routeOptions.config.bodyTimeout ?? timeoutMs) > now) return
      if (reply.raw.headersSent) return void raw.destroy()
      // As Node reports a late request, so that both are answered alike.
      const late = Object.assign(new Error('the body did not arrive in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
      app.server.emit('clientError', late, raw.socket)
    })
  }
  const timer = setInterval(look, Math.min(LOOK_MS, timeoutMs / 4)).unref()
  app.addHook('onClose', () => clearInterval(timer))
}
