import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { Turn } from 'tasuki/plugin'
import type { Visit } from './visit.ts'

/** Sends markup without changes. */
export function sendHtml({ reply }: Visit, status: number, text: string): FastifyReply {
  const body = text.length > PIECE ? Readable.from(encodeInTurns(text)) : text
  return reply.code(status).type('text/html; charset=utf-8').send(body)
}

/** Length of the pieces in which a long page is sent, in UTF-16 units. */
const PIECE = 200_000

/** Some megabytes take tens of milliseconds to encode. */
async function* encodeInTurns(text: string): AsyncGenerator<Buffer> {
  const turn = new Turn(2)
  for (let start = 0, end: number; start < text.length; start = end) {
    if (turn.isOver()) await turn.next()
    end = Math.min(start + PIECE, text.length)
    // A surrogate pair is one character and stays whole.
    if (text.codePointAt(end - 1)! > 0xffff) end++
    yield Buffer.from(text.slice(start, end))
  }
}
