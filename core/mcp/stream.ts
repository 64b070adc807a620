import type { FastifyReply } from 'fastify'
import type { OutgoingHttpHeaders } from 'node:http'

/** Idle time after which a comment is sent, so that proxies do not close the stream. */
const KEEP_ALIVE_MS = 15_000
/** A client that leaves this many bytes unread is disconnected. */
const MAX_BUFFERED = 1_000_000

const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  // Tells proxies such as nginx not to buffer events.
  'x-accel-buffering': 'no',
}

/** The response to one request; the first message turns it into a stream of server-sent events. */
export class ResponseStream {
  readonly #reply: FastifyReply
  readonly #takesEvents: boolean
  #opened = false

  /** @param takesEvents whether the client's `Accept` header allows `text/event-stream` */
  constructor(reply: FastifyReply, takesEvents: boolean) {
    this.#reply = reply
    this.#takesEvents = takesEvents
  }

  get opened(): boolean {
    return this.#opened
  }

  /** Whether a message can be sent. */
  get usable(): boolean {
    const { raw } = this.#reply
    return this.#takesEvents && !raw.destroyed && !raw.writableEnded
  }

  /** Sends a JSON-RPC message; returns false if the client does not accept streams or has disconnected. */
  send(message: string): boolean {
    if (!this.usable) return false
    if (!this.#opened) this.#open()
    const { raw } = this.#reply
    raw.write(`event: message\ndata: ${message}\n\n`)
    if (raw.writableLength > MAX_BUFFERED) raw.destroy()
    return !raw.destroyed
  }

  /** Calls the listener when the connection closes, from either side. */
  onClose(listener: () => void): void {
    this.#reply.raw.on('close', listener)
  }

  /** Ends the stream; if it was not opened yet, it is sent empty. */
  end(): void {
    if (!this.#opened && this.usable) this.#open()
    const { raw } = this.#reply
    if (this.#opened && !raw.writableEnded) raw.end()
  }

  #open(): void {
    this.#opened = true
    const { raw } = this.#reply
    // `hijack` drops headers that hooks have set, so they are copied.
    const headers = this.#reply.getHeaders() as OutgoingHttpHeaders
    this.#reply.hijack()
    raw.writeHead(200, { ...headers, ...STREAM_HEADERS })
    const keepAlive = setInterval(() => raw.write(':\n\n'), KEEP_ALIVE_MS).unref()
    raw.on('close', () => clearInterval(keepAlive))
  }
}
