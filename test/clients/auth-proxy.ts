import { createServer, request, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface AuthProxy {
  /** `http://localhost:<port>`: some clients accept no other name for the loopback address. */
  readonly url: string
  /** The protocol revision that was named last since this was called last. */
  revision(): string | undefined
  close(): Promise<void>
}

/**
 * A streaming proxy for clients that cannot send a token: adds the bearer token and keeps all else, Host and Origin too.
 * @param rename changes what clients send, for those that call things by names of their own
 */
export async function startAuthProxy(
  target: URL,
  token: string,
  rename: ((text: string) => string) | null = null,
): Promise<AuthProxy> {
  let revision: string | undefined
  const server = createServer((incoming, outgoing) => {
    revision = incoming.headers['mcp-protocol-version']?.toString() ?? revision
    const onward = request(
      {
        host: target.hostname.replace(/^\[|\]$/g, ''),
        port: target.port,
        method: incoming.method,
        path: incoming.url,
        headers: {
          authorization: `Bearer ${token}`,
          ...(rename ? renamed(incoming.headers, rename) : incoming.headers),
        },
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
    if (rename) void incoming.toArray().then(chunks => onward.end(rename(Buffer.concat(chunks).toString())))
    else incoming.pipe(onward)
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

/** Without the length, which is another one then. */
function renamed(headers: IncomingHttpHeaders, rename: (text: string) => string): IncomingHttpHeaders {
  const name = headers['mcp-name']
  const sent = { ...headers, ...(typeof name === 'string' && { 'mcp-name': rename(name) }) }
  delete sent['content-length']
  return sent
}
