import type { Readable } from 'node:stream'
import { Turn } from './turn.ts'

/**
 * Joins the chunks of a stream in several turns: 25 MB at once hold the event loop for 100 ms where new memory is slow.
 * @throws an error of Fastify, which the service answers with 413, after `most` bytes, or at once if a request declares more
 */
export async function joinChunks(stream: Readable, most = Infinity): Promise<Buffer> {
  const chunks: Buffer[] = []
  const { headers } = stream as Readable & { readonly headers?: Readonly<Record<string, unknown>> }
  let size = 0
  if (Number(headers?.['content-length']) > most) throw tooLarge()
  // The connection of a request that is too long stays open for the response.
  for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > most) throw tooLarge()
    chunks.push(chunk)
  }
  const bytes = Buffer.allocUnsafe(size)
  const turn = new Turn(5)
  let at = 0
  for (const chunk of chunks) {
    if (turn.isOver()) await turn.next()
    at += chunk.copy(bytes, at)
  }
  return bytes
}

const tooLarge = (): Error => Object.assign(new Error('the body is too large'), { code: 'FST_ERR_CTP_BODY_TOO_LARGE' })
