import type { FastifyReply } from 'fastify'
import type { OutgoingHttpHeaders } from 'node:http'

/** Quiet time after which a comment keeps proxies from closing a stream. */
const KEEP_ALIVE_MS = 15_000
/** A reader that leaves this many bytes waiting is taken for dead. */
const MOST_BUFFERED = 1_000_000

const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  // Asks proxies such as nginx not to hold events back.
  'x-accel-buffering': 'no',
}

/** The response to one request, which becomes a stream of server-sent events with its first message. */
export class ResponseStream {
  readonly #reply: FastifyReply
  readonly #takesEvents: boolean
  #opened = false

  /** @param takesEvents whether the client's `Accept` header allows `text/event-stream`. */
  constructor(reply: FastifyReply, takesEvents: boolean) {
    this.#reply = reply
    this.#takesEvents = takesEvents
  }

  get opened(): boolean {
    return this.#opened
  }

  /** Whether a message could be sent. */
  get usable(): boolean {
    const { raw } = this.#reply
    return this.#takesEvents && !raw.destroyed && !raw.writableEnded
  }

  /** Sends a JSON-RPC message (its text); false when the client does not take streams or is gone. */
  send(message: string): boolean {
    if (!this.usable) return false
    if (!this.#opened) this.#open()
    const { raw } = this.#reply
    raw.write(`event: message\ndata: ${message}\n\n`)
    if (raw.writableLength > MOST_BUFFERED) raw.destroy()
    return !raw.destroyed
  }

  /** Runs when the connection closes, whoever closed it. */
  onClose(listener: () => void): void {
    this.#reply.raw.on('close', listener)
  }

  /** Ends the stream; one that was not opened yet becomes an empty one. */
  end(): void {
    if (!this.#opened && this.usable) this.#open()
    const { raw } = this.#reply
    if (this.#opened && !raw.writableEnded) raw.end()
  }

  #open(): void {
    this.#opened = true
    const { raw } = this.#reply
    // What hooks set so far would be lost with the hijack.
    const headers = this.#reply.getHeaders() as OutgoingHttpHeaders
    this.#reply.hijack()
    raw.writeHead(200, { ...headers, ...STREAM_HEADERS })
    const keepAlive = setInterval(() => raw.write(':\n\n'), KEEP_ALIVE_MS).unref()
    raw.on('close', () => clearInterval(keepAlive))
  }
}
