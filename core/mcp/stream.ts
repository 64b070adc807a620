import type { FastifyReply } from 'fastify'

/** Quiet seconds after which a comment keeps proxies from closing a stream. */
const KEEP_ALIVE_MS = 15_000
/** A reader that leaves this many bytes waiting is taken for dead. */
const MOST_BUFFERED = 1_000_000

/** The response to one request, which becomes a stream of server-sent events with its first message. */
export interface ResponseStream {
  readonly opened: boolean
  /** Whether a message could be sent. */
  readonly usable: boolean
  /** Sends a JSON-RPC message (its text); false when the client does not take streams or is gone. */
  send(message: string): boolean
  /** Runs when the connection closes, whoever closed it. */
  onClose(listener: () => void): void
  /** Ends the stream; one that was not opened yet becomes an empty one. */
  end(): void
}

/** @param takesEvents whether the client's `Accept` header allows `text/event-stream`. */
export function responseStream(reply: FastifyReply, takesEvents: boolean): ResponseStream {
  const { raw } = reply
  let opened = false
  const open = (): void => {
    opened = true
    const headers = reply.getHeaders()
    reply.hijack()
    raw.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      // Asks proxies such as nginx not to hold events back.
      'x-accel-buffering': 'no',
    } as Record<string, string>)
    const keepAlive = setInterval(() => raw.write(':\n\n'), KEEP_ALIVE_MS).unref()
    raw.once('close', () => clearInterval(keepAlive))
  }
  return {
    get opened() {
      return opened
    },
    get usable() {
      return takesEvents && !raw.destroyed && !raw.writableEnded
    },
    send(message) {
      if (!this.usable) return false
      if (!opened) open()
      raw.write(`event: message\ndata: ${message}\n\n`)
      if (raw.writableLength > MOST_BUFFERED) raw.destroy()
      return !raw.destroyed
    },
    onClose: listener => void raw.once('close', listener),
    end() {
      if (!opened && this.usable) open()
      if (opened && !raw.writableEnded) raw.end()
    },
  }
}
