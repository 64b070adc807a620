import { createServer, request, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface AuthProxy {
  /** `http://localhost:<port>`; some clients accept no other name of the loopback address. */
  readonly url: string
  /** Returns the latest protocol revision since the previous call. */
  revision(): string | undefined
  close(): Promise<void>
}

/**
 * Starts a streaming proxy that adds a bearer token, for clients that cannot send one. It changes nothing else, not even Host and Origin.
 * @param rename rewrites request bodies of clients that use names of their own
 */
export async function startAuthProxy(
  target: URL,
  token: string,
  rename: ((text: string) => string) | null = null,
): Promise<AuthProxy> {
  let revision: string | undefined
  const server = createServer((incoming, outgoing) => {
    revision = incoming.headers['mcp-protocol-version']?.toString() ?? revision
    const upstream = request(
      {
        host: target.hostname.replace(/^\[|\]$/g, ''),
        port: target.port,
        method: incoming.method,
        path: incoming.url,
        headers: {
          authorization: `Bearer ${token}`,
          ...(rename ? renameHeaders(incoming.headers, rename) : incoming.headers),
        },
      },
      answer => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        outgoing.flushHeaders()
        answer.pipe(outgoing)
      },
    )
    upstream.on('error', error => {
      if (outgoing.headersSent) outgoing.destroy(error)
      else outgoing.writeHead(502).end(String(error))
    })
    outgoing.on('close', () => upstream.destroy())
    if (rename) void incoming.toArray().then(chunks => upstream.end(rename(Buffer.concat(chunks).toString())))
    else incoming.pipe(upstream)
  })
  // No timeout here: the service tells clients how long it keeps connections, and the proxy must not close them earlier.
  server.keepAliveTimeout = 0
  await new Promise<void>(listening => server.listen(0, 'localhost', listening))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://localhost:${port}`,
    revision() {
      const latest = revision
      revision = undefined
      return latest
    },
    close: () =>
      new Promise(closed => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

/** Removes the content length, which renaming changes. */
function renameHeaders(headers: IncomingHttpHeaders, rename: (text: string) => string): IncomingHttpHeaders {
  const name = headers['mcp-name']
  const sent = { ...headers, ...(typeof name === 'string' && { 'mcp-name': rename(name) }) }
  delete sent['content-length']
  return sent
}
