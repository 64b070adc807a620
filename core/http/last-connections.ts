import type { FastifyInstance } from 'fastify'
import { Server, type Socket } from 'node:net'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { SlotPool } from './slot-pool.ts'

const CHECK_MS = 50
/** Turns of the event loop in which waiting connections are accepted. */
const TURNS = 100
/** Without a request for this time, no client is about to send one: a busy machine may keep a client or proxy from it for a while. */
const QUIET_MS = 250
/** How long requests may go on arriving on connections that a proxy keeps. */
const DRAIN_MS = 1000

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
    // Meanwhile every answer closes its connection, so that a proxy has none left on which it could send a request too late.
    for (let waited = 0, quiet = 0, before = -1; waited < DRAIN_MS && quiet < QUIET_MS; waited += CHECK_MS) {
      const bytes = bytesRead(open)
      if (bytes === -1) break
      quiet = bytes === before ? quiet + CHECK_MS : 0
      before = bytes
      await sleep(CHECK_MS)
    }
    // Timers run before the sockets are read: after a turn, a connection with an unread request is not idle.
    await setImmediate()
    closing = true
    open.forEach(closeUnused)
    const timer = setInterval(() => void setImmediate().then(() => server.closeIdleConnections()), CHECK_MS)
    server.once('close', () => clearInterval(timer))
  })
}

/** @returns -1 if no connection is open */
function bytesRead(open: SlotPool<Socket>): number {
  let bytes = -1
  open.forEach(socket => (bytes = Math.max(bytes, 0) + socket.bytesRead))
  return bytes
}
