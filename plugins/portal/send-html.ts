import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { Turn } from 'tasuki/plugin'
import type { Html } from './html.ts'
import type { Visit } from './visit.ts'

/** Sends markup without changes. */
export function sendHtml({ reply }: Visit, status: number, { pieces }: Html): FastifyReply {
  const body = pieces.length > 1 ? Readable.from(encodeInTurns(pieces)) : pieces[0]
  return reply.code(status).type('text/html; charset=utf-8').send(body)
}

/** Some megabytes take tens of milliseconds to encode. */
async function* encodeInTurns(pieces: readonly string[]): AsyncGenerator<Buffer> {
  const turn = new Turn(2)
  for (const piece of pieces) {
    if (turn.isOver()) await turn.next()
    yield Buffer.from(piece)
  }
}
