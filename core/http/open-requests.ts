import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { SlotPool } from './slot-pool.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Slot among the open requests; -1 = none. */
    openAt: number
  }
}

/** A request whose body or response is not complete. */
export interface OpenRequest {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** When it came or, if it was answered before its body was complete, when it was answered; as `performance.now()`. */
  readonly since: number
}

/** The open requests of a server. */
export interface OpenRequests {
  /** Calls `look` with each open request. */
  forEach(look: (open: OpenRequest) => void): void
  count(): number
  /** Returns whether a request that came before a time, as `performance.now()`, has no response yet. */
  busy(before: number): boolean
}

export function trackOpenRequests(app: FastifyInstance): OpenRequests {
  const open = new SlotPool<OpenRequest>()
  const isComplete = ({ request: { raw }, reply }: Omit<OpenRequest, 'since'>): boolean =>
    (raw.complete || raw.destroyed) && (reply.raw.writableFinished || reply.raw.closed)
  const forget = (request: FastifyRequest): void => {
    if (request.openAt === -1) return
    open.remove(request.openAt)
    request.openAt = -1
  }
  const track = (request: FastifyRequest, reply: FastifyReply): void => {
    request.openAt = open.add({ request, reply, since: performance.now() })
  }
  app.decorateRequest('openAt', -1)
  app.addHook('onRequest', (request, reply, done) => {
    track(request, reply)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    forget(request)
    if (!isComplete({ request, reply })) {
      track(request, reply)
      // The client may finish its body, which nothing else reads, so that it can read the answer and reuse the connection.
      request.raw.resume()
    }
    done()
  })
  const forEach: OpenRequests['forEach'] = look =>
    open.forEach(each => (isComplete(each) ? forget(each.request) : look(each)))
  return {
    forEach,
    count() {
      let count = 0
      forEach(() => count++)
      return count
    },
    busy(before) {
      let busy = false
      open.forEach(({ reply, since }) => (busy ||= since < before && !reply.raw.headersSent && !reply.raw.closed))
      return busy
    },
  }
}
