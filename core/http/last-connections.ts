import type { FastifyInstance } from 'fastify'
import type { Socket } from 'node:net'
import { SlotPool } from './slot-pool.ts'

const LOOK_MS = 50

/**
 * Lets a close wait for answers that are under way and for nothing else. Node would also wait for connections on which nothing was ever
 * said, since it takes them for busy until the time for headers has run out, and for those whose answer ended after the close began, until
 * they have been idle for over a minute. Browsers and pools of clients leave both.
 */
export function endLastConnections(app: FastifyInstance): void {
  const { server } = app
  const open = new SlotPool<Socket>()
  let closing = false
  const endSilent = (socket: Socket): void => {
    if (socket.bytesRead === 0) socket.destroy()
  }
  server.on('connection', socket => {
    if (closing) return endSilent(socket)
    const place = open.add(socket)
    socket.once('close', () => open.remove(place))
  })
  app.addHook('preClose', done => {
    closing = true
    open.forEach(endSilent)
    if (server.listening) {
      const timer = setInterval(() => server.closeIdleConnections(), LOOK_MS)
      server.once('close', () => clearInterval(timer))
    }
    done()
  })
}
