import type { FastifyInstance } from 'fastify'
import { once } from 'node:events'
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface RpcMessage {
  readonly id?: number | string
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string }
}

/** A response; if it is a stream, its server-sent events are parsed. */
export interface EventStream {
  readonly contentType: string
  readonly headers: IncomingHttpHeaders
  /** Returns the next message; undefined at the end of the stream. */
  next(): Promise<RpcMessage | undefined>
  /** Returns all remaining messages. */
  rest(): Promise<RpcMessage[]>
  /** Closes the connection. */
  drop(): void
}

export async function listen(app: FastifyInstance): Promise<string> {
  await app.listen({ port: 0, host: '127.0.0.1' })
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/mcp`
}

/** Posts over a new connection. */
export async function post(url: string, body: string, headers: Readonly<Record<string, string>>): Promise<EventStream> {
  const outgoing = request(url, { method: 'POST', headers: { ...headers }, agent: false })
  outgoing.end(body)
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  // Some tests drop the connection on purpose.
  response.on('error', () => undefined)
  const chunks = response.setEncoding('utf8')[Symbol.asyncIterator]() as AsyncIterator<string>
  let buffer = ''
  const next = async (): Promise<RpcMessage | undefined> => {
    for (;;) {
      const end = buffer.indexOf('\n\n')
      if (end < 0) {
        const { done, value } = await chunks.next()
        if (done) return undefined
        buffer += value
        continue
      }
      const event = buffer.slice(0, end)
      buffer = buffer.slice(end + 2)
      const data = event.split('\n').find(line => line.startsWith('data: '))
      if (data) return JSON.parse(data.slice('data: '.length)) as RpcMessage
    }
  }
  return {
    contentType: response.headers['content-type'] ?? '',
    headers: response.headers,
    next,
    async rest() {
      const messages: RpcMessage[] = []
      for (let message = await next(); message; message = await next()) messages.push(message)
      return messages
    },
    drop: () => outgoing.destroy(),
  }
}

/** Waits until a condition holds; fails after two seconds. */
export async function until(what: string, isSo: () => boolean): Promise<void> {
  for (let waited = 0; !isSo(); waited += 10) {
    if (waited > 2000) throw new Error(`waited in vain until ${what}`)
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}
