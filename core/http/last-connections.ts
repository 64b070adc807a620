import type { FastifyInstance } from 'fastify'
import { Server, type Socket } from 'node:net'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { SlotPool } from './slot-pool.ts'

const CHECK_MS = 50
const TURNS = 100

/**
 * Makes a shutdown wait only for pending responses. Node would also wait for connections that never sent anything, until the header
 * timeout, and for connections that became idle after the shutdown began, for over a minute. Browsers and connection pools leave both. Requests
 * that are on their way when it begins are served: at once it refuses only new connections, for which a proxy tries another instance.
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
  app.addHook('preClose', async () => {
    if (!server.listening) return
    // Each turn of the event loop accepts one connection of those that wait. The method of `http.Server` would also close idle connections.
    for (let turn = 0; turn < TURNS; turn++) await setImmediate()
    Server.prototype.close.call(server)
    await sleep(CHECK_MS)
    closing = true
    open.forEach(closeUnused)
    const timer = setInterval(() => server.closeIdleConnections(), CHECK_MS)
    server.once('close', () => clearInterval(timer))
  })
}
