import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface AuthProxy {
  /** `http://localhost:<port>`: some clients accept no other name for the loopback address. */
  readonly url: string
  /** The protocol revision that was named last since this was called last. */
  revision(): string | undefined
  close(): Promise<void>
}

/** A streaming proxy for clients that cannot send a token: adds the bearer token and keeps all else, Host and Origin too. */
export async function startAuthProxy(target: URL, token: string): Promise<AuthProxy> {
  let revision: string | undefined
  const server = createServer((incoming, outgoing) => {
    revision = incoming.headers['mcp-protocol-version']?.toString() ?? revision
    const onward = request(
      {
        host: target.hostname.replace(/^\[|\]$/g, ''),
        port: target.port,
        method: incoming.method,
        path: incoming.url,
        headers: { authorization: `Bearer ${token}`, ...incoming.headers },
      },
      answer => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        outgoing.flushHeaders()
        answer.pipe(outgoing)
      },
    )
    onward.on('error', error => {
      if (outgoing.headersSent) outgoing.destroy(error)
      else outgoing.writeHead(502).end(String(error))
    })
    outgoing.on('close', () => onward.destroy())
    incoming.pipe(onward)
  })
  // Clients are told how long the service keeps connections, so this must not close them earlier.
  server.keepAliveTimeout = 0
  await new Promise<void>(listening => server.listen(0, 'localhost', listening))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://localhost:${port}`,
    revision() {
      const named = revision
      revision = undefined
      return named
    },
    close: () =>
      new Promise(closed => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}
