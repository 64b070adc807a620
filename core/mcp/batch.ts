import type { FastifyReply } from 'fastify'
import type { Dispatch } from './dispatch.ts'
import type { EndpointContext } from './endpoint-context.ts'
import type { PostRequest } from './post-request.ts'
import { findProtocolSession, receiveMessage, sessionContext, type ProtocolSession } from './protocol-session.ts'
import { JSON_TYPE, toErrorReply, setHeaders } from './reply.ts'
import { INVALID_REQUEST, readableId, readMessage, RpcError } from './message.ts'
import { isModern } from './metadata.ts'
import { lifecycleHeaders } from './revisions.ts'

const MAX_IN_BATCH = 50

/** Answers a JSON-RPC batch, which only revision 2025-03-26 has. An invalid message does not affect the others. */
export async function answerBatch(
  endpoint: EndpointContext,
  dispatch: Dispatch,
  post: PostRequest,
  messages: readonly unknown[],
): Promise<FastifyReply> {
  const found = findProtocolSession(endpoint, post, null)
  const refused = (message: string) => new RpcError(INVALID_REQUEST, message, { status: 400 })
  if (!found.revision.batches) throw refused(`JSON-RPC batches are not part of revision ${found.revision.name}`)
  if (messages.length === 0 || messages.length > MAX_IN_BATCH)
    throw refused(`A batch holds 1 to ${MAX_IN_BATCH} messages`)
  setHeaders(post.reply, lifecycleHeaders(found.revision))
  const answers: string[] = []
  // Sequential, because a client may rely on the order of its writes.
  for (const value of messages) {
    const answer = await answerOne(endpoint, dispatch, post, found, value)
    if (answer !== null) answers.push(answer)
  }
  if (answers.length === 0) return post.reply.code(202).send()
  const body = `[${answers.join(',')}]`
  if (post.takesJson) return post.reply.header('content-type', JSON_TYPE).send(body)
  post.stream.send(body)
  post.stream.end()
  return post.reply
}

/** Returns null for a notification or response, which has no answer. */
async function answerOne(
  endpoint: EndpointContext,
  dispatch: Dispatch,
  post: PostRequest,
  found: ProtocolSession,
  value: unknown,
): Promise<string | null> {
  const message = readMessage(value)
  if (message?.kind === 'notification' || message?.kind === 'response') {
    receiveMessage(endpoint, post, message, found)
    return null
  }
  const refused = (why: string): string =>
    String(toErrorReply(readableId(value), new RpcError(INVALID_REQUEST, why)).body)
  if (!message) return refused('Invalid Request')
  if (message.method === 'initialize') return refused('initialize must not be part of a batch')
  if (isModern(message.params)) return refused('A batch cannot carry requests of this revision')
  const context = sessionContext(endpoint, post, message, found, null)
  const slot = endpoint.inFlight.add(context)
  const { body } = await dispatch(context)
  endpoint.inFlight.remove(slot)
  return String(body)
}
