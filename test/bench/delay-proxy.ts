import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface DelayProxy {
  readonly url: string
  close(): Promise<void>
}

/** Starts a proxy that delays the traffic to a database, like a network. @param delayMs in each direction */
export async function startDelayProxy(url: string, delayMs: number): Promise<DelayProxy> {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  const forward = (from: Socket, to: Socket): void => {
    sockets.add(from)
    // Timers with equal delays fire in the order in which they were set, so the chunks keep their order.
    from.on('data', chunk => void setTimeout(() => to.write(chunk), delayMs))
    from.on('close', () => {
      sockets.delete(from)
      setTimeout(() => to.destroy(), delayMs)
    })
    from.on('error', () => to.destroy())
  }
  const server = createServer({ noDelay: true }, client => {
    const upstream = connect({ host: target.hostname, port: Number(target.port), noDelay: true })
    forward(client, upstream)
    forward(upstream, client)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxied = new URL(url)
  proxied.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: proxied.href,
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
