import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { SlotPool } from './slot-pool.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Where it stands among the open requests; -1 = nowhere. */
    openAt: number
  }
}

/** A request that has not been answered, or not been read, to its end. */
export interface OpenRequest {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** By `performance.now()`. */
  readonly since: number
}

/** The requests that are open. */
export interface OpenRequests {
  /** Looks at each. */
  forEach(look: (open: OpenRequest) => void): void
  count(): number
  /** Whether one has not begun to be answered. */
  busy(): boolean
}

export function openRequests(app: FastifyInstance): OpenRequests {
  const open = new SlotPool<OpenRequest>()
  const over = ({ request: { raw }, reply }: Omit<OpenRequest, 'since'>): boolean =>
    (raw.complete || raw.destroyed) && (reply.raw.writableFinished || reply.raw.closed)
  const forget = (request: FastifyRequest): void => {
    if (request.openAt === -1) return
    open.remove(request.openAt)
    request.openAt = -1
  }
  app.decorateRequest('openAt', -1)
  app.addHook('onRequest', (request, reply, done) => {
    request.openAt = open.add({ request, reply, since: performance.now() })
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    // One that was answered before it had arrived is still to be read.
    if (over({ request, reply })) forget(request)
    done()
  })
  const forEach: OpenRequests['forEach'] = look =>
    open.forEach(each => (over(each) ? forget(each.request) : look(each)))
  return {
    forEach,
    count() {
      let count = 0
      forEach(() => count++)
      return count
    },
    busy() {
      let busy = false
      open.forEach(({ reply }) => (busy ||= !reply.raw.headersSent && !reply.raw.closed))
      return busy
    },
  }
}
