import type { FastifyInstance } from 'fastify'
import type { Socket } from 'node:net'
import { SlotPool } from './slot-pool.ts'

const CHECK_MS = 50

/**
 * Makes a shutdown wait only for pending responses. Node would also wait for connections that never sent anything, until the header
 * timeout, and for connections that became idle after the shutdown began, for over a minute. Browsers and connection pools leave both.
 */
export function closeUnusedConnections(app: FastifyInstance): void {
  const { server } = app
  const open = new SlotPool<Socket>()
  let closing = false
  const closeUnused = (socket: Socket): void => {
    if (socket.bytesRead === 0) socket.destroy()
  }
  server.on('connection', socket => {
    if (closing) return closeUnused(socket)
    const place = open.add(socket)
    socket.once('close', () => open.remove(place))
  })
  app.addHook('preClose', done => {
    closing = true
    open.forEach(closeUnused)
    if (server.listening) {
      const timer = setInterval(() => server.closeIdleConnections(), CHECK_MS)
      server.once('close', () => clearInterval(timer))
    }
    done()
  })
}
