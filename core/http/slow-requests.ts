import type { FastifyInstance } from 'fastify'
import type { ServerOptions } from 'node:http'
import type { OpenRequests } from './open-requests.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Milliseconds within which the body must arrive; default: `request_timeout_ms` of the deployment. */
    readonly bodyTimeout?: number
  }
}

/** Interval of Node's check for late headers. */
const CHECK_MS = 5000
/** Interval of our check for late bodies. */
const BODY_CHECK_MS = 1000

/**
 * Returns server options with a timeout for headers, also on connections that send nothing.
 * Node's timeout for whole requests stays off, because it applies to all routes and uploads take minutes.
 */
export function enforceHeaderTimeout(timeoutMs: number): ServerOptions {
  return { requestTimeout: 0, headersTimeout: timeoutMs, connectionsCheckingInterval: Math.min(CHECK_MS, timeoutMs) }
}

/**
 * Ends requests whose body does not arrive in time, because most bodies are read before authentication.
 * Does not limit how long a response takes, because calls and streams may be long.
 */
export function enforceBodyTimeout(app: FastifyInstance, open: OpenRequests, timeoutMs: number): void {
  // One periodic check of all requests: nearly all bodies arrive at once, and a timer per request would be expensive.
  const checkBodies = (): void => {
    const now = performance.now()
    open.forEach(({ request: { raw }, reply, since }) => {
      if (raw.complete || raw.readableEnded || raw.destroyed) return
      const answered = reply.raw.headersSent
      if (since + ((!answered && reply.routeOptions.config.bodyTimeout) || timeoutMs) > now) return
      if (answered) return void raw.destroy()
      // The same error as Node's for late headers, so that both get the same response.
      const timeoutError = Object.assign(new Error('the body did not arrive in time'), {
        code: 'ERR_HTTP_REQUEST_TIMEOUT',
      })
      app.server.emit('clientError', timeoutError, raw.socket)
    })
  }
  const timer = setInterval(checkBodies, Math.min(BODY_CHECK_MS, timeoutMs / 4)).unref()
  app.addHook('onClose', () => clearInterval(timer))
}
