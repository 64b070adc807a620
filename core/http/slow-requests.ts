import type { FastifyInstance, FastifyReply } from 'fastify'
import type { IncomingMessage, ServerOptions, ServerResponse } from 'node:http'

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
export function headersWithin(timeoutMs: number): ServerOptions {
  return { headersTimeout: timeoutMs, connectionsCheckingInterval: Math.min(CHECK_MS, timeoutMs) }
}

/**
 * Ends requests whose body does not arrive in time: most are read before anybody has shown a credential.
 * How long an answer takes is another matter; calls and streams may run on.
 */
export function bodiesWithin(app: FastifyInstance, timeoutMs: number): void {
  const giveUp = (raw: IncomingMessage, response: ServerResponse): void => {
    if (raw.complete || raw.readableEnded || raw.destroyed) return
    if (response.headersSent) return void raw.destroy()
    // As Node reports a late request, so that both are answered alike.
    const late = Object.assign(new Error('the body did not arrive in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    app.server.emit('clientError', late, raw.socket)
  }
  // A look at all of them now and then: nearly all are there at once, and a timer for each costs more than the rest of this.
  const awaited = new Map<IncomingMessage, { readonly reply: FastifyReply; readonly since: number }>()
  const look = (): void => {
    const now = performance.now()
    for (const [raw, { reply, since }] of awaited) {
      const within = (): number => reply.routeOptions.config.bodyTimeout ?? timeoutMs
      if (!raw.complete && !raw.destroyed && since + within() > now) continue
      awaited.delete(raw)
      giveUp(raw, reply.raw)
    }
  }
  const timer = setInterval(look, Math.min(LOOK_MS, timeoutMs / 4)).unref()
  app.addHook('onClose', () => clearInterval(timer))
  app.addHook('onRequest', (request, reply, done) => {
    const { raw } = request
    const { 'content-length': length, 'transfer-encoding': encoding } = raw.headers
    if (encoding !== undefined || (length !== undefined && length !== '0'))
      awaited.set(raw, { reply, since: performance.now() })
    done()
  })
  app.addHook('onResponse', ({ raw }, _reply, done) => {
    // One that was answered before it had arrived is still awaited.
    if (raw.complete) awaited.delete(raw)
    done()
  })
}
