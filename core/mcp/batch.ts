import type { FastifyReply } from 'fastify'
import { refusal } from './dispatch.ts'
import { JSON_TYPE, setHeaders, type Desk, type Incoming } from './incoming.ts'
import { legacyExchange, received, standing, type Standing } from './legacy.ts'
import { INVALID_REQUEST, readableId, readMessage, RpcError, type RpcRequest } from './message.ts'
import { isModern } from './metadata.ts'
import { lifecycleHeaders } from './revisions.ts'

const MOST_IN_BATCH = 50

/** Answers a JSON-RPC batch, which revision 2025-03-26 alone has; one bad message does not spoil the others. */
export async function answerBatch(desk: Desk, post: Incoming, messages: readonly unknown[]): Promise<FastifyReply> {
  const where = standing(desk, post, null)
  const refused = (message: string) => new RpcError(INVALID_REQUEST, message, { status: 400 })
  if (!where.revision.batches) throw refused(`JSON-RPC batches are not part of revision ${where.revision.name}`)
  if (messages.length === 0 || messages.length > MOST_IN_BATCH)
    throw refused(`A batch holds 1 to ${MOST_IN_BATCH} messages`)
  setHeaders(post.reply, lifecycleHeaders(where.revision))
  const answers: string[] = []
  // One after another: a client may rely on the order of its writes.
  for (const value of messages) {
    const message = readMessage(value)
    if (message?.kind === 'notification' || message?.kind === 'response') received(desk, post, message, where)
    else answers.push(await answerOne(desk, post, value, message, where))
  }
  if (answers.length === 0) return post.reply.code(202).send()
  const body = `[${answers.join(',')}]`
  if (post.takesJson) return post.reply.header('content-type', JSON_TYPE).send(body)
  post.stream.send(body)
  post.stream.end()
  return post.reply
}

async function answerOne(
  desk: Desk,
  post: Incoming,
  value: unknown,
  message: RpcRequest | null,
  where: Standing,
): Promise<string> {
  const refused = (why: string): string => String(refusal(readableId(value), new RpcError(INVALID_REQUEST, why)).body)
  if (!message) return refused('Invalid Request')
  if (message.method === 'initialize') return refused('initialize must not be part of a batch')
  if (isModern(message.params)) return refused('A batch cannot carry requests of this revision')
  const exchange = legacyExchange(desk, post, message, where, null)
  const place = desk.running.add(exchange)
  const { body } = await desk.dispatch(exchange)
  desk.running.remove(place)
  return String(body)
}
