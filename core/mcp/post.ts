import type { FastifyReply, FastifyRequest } from 'fastify'
import { answerBatch } from './batch.ts'
import { Cancellation, InFlight } from './cancellation.ts'
import { bearerToken } from '../http/bearer.ts'
import { createDispatch, refusal, type Reply } from './dispatch.ts'
import type { Exchange, Service } from './exchange.ts'
import { incoming, JSON_TYPE, keyHeader, setHeaders, type Desk, type Incoming } from './incoming.ts'
import { legacyExchange, received, standing } from './legacy.ts'
import {
  INVALID_REQUEST,
  PARSE_ERROR,
  readableId,
  readMessage,
  RpcError,
  type Message,
  type RpcNotification,
  type RpcRequest,
} from './message.ts'
import { checkParamHeaders, isModern, readMetadata } from './metadata.ts'
import { lifecycleHeaders } from './revisions.ts'

/** Makes the handler of POST: it tells apart batches, eras and kinds of messages, and answers as HTTP wants it. */
export function createPost(service: Service): (http: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  const desk: Desk = { service, dispatch: createDispatch(service), running: new InFlight() }
  return async (http, reply) => {
    const body: unknown = http.body
    try {
      const post = incoming(desk, http, reply)
      if (Array.isArray(body)) return await answerBatch(desk, post, body)
      if (body === undefined) throw new RpcError(PARSE_ERROR, 'Parse error: the body is empty', { status: 400 })
      const message = readMessage(body)
      if (!message) throw new RpcError(INVALID_REQUEST, 'Invalid Request', { status: 400 })
      return await answerMessage(desk, post, message)
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      return sendReply(reply, refusal(readableId(body), error))
    }
  }
}

async function answerMessage(desk: Desk, post: Incoming, message: Message): Promise<FastifyReply> {
  if (message.kind !== 'response' && isModern(message.params)) return answerModern(desk, post, message)
  const where = standing(desk, post, message)
  setHeaders(post.reply, lifecycleHeaders(where.revision))
  if (message.kind !== 'request') {
    received(desk, post, message, where)
    return post.reply.code(202).send()
  }
  const exchange = legacyExchange(desk, post, message, where, post.stream)
  const place = desk.running.add(exchange)
  const reply = await desk.dispatch(exchange)
  desk.running.remove(place)
  return send(post, exchange, reply)
}

async function answerModern(desk: Desk, post: Incoming, message: RpcRequest | RpcNotification): Promise<FastifyReply> {
  const { http, reply, principal, view, stream } = post
  // This revision defines no notification that a client could send by POST.
  if (message.kind === 'notification') return reply.code(202).send()
  const { options, revisions, subscriptions } = desk.service
  const metadata = readMetadata(message, http.headers, revisions)
  setHeaders(reply, lifecycleHeaders(metadata.revision))
  const exchange: Exchange = {
    request: message,
    revision: metadata.revision,
    principal,
    view,
    session: null,
    capabilities: metadata.capabilities,
    clientName: metadata.clientName,
    logLevel: metadata.logLevel,
    stream,
    cancellation: new Cancellation(),
    http,
    requestId: http.id,
    idempotencyKey: keyHeader(post),
    log: http.log,
  }
  if (message.method === 'subscriptions/listen') {
    const token = bearerToken(http.headers.authorization)!
    await subscriptions.listen(exchange, stream, async () => options.authenticate(token))
    return reply
  }
  const { name } = message.params
  const tool = message.method === 'tools/call' && typeof name === 'string' ? view.tools.get(name) : undefined
  if (tool && tool.paramHeaders.size > 0) checkParamHeaders(tool, message.params, http.headers)
  // In this era a closed connection is how a client cancels; one that closes after the answer cancels nothing.
  let answered = false
  stream.onClose(() => answered || exchange.cancellation.cancel('The client closed the connection'))
  const answer = await desk.dispatch(exchange)
  answered = true
  return send(post, exchange, answer)
}

function send(post: Incoming, { cancellation }: Exchange, answer: Reply): FastifyReply {
  const { stream, reply, takesJson } = post
  if (cancellation.cancelled) return abandon(post)
  if (!stream.opened && takesJson) return sendReply(reply, answer)
  setHeaders(reply, answer.headers)
  stream.send(String(answer.body))
  stream.end()
  return reply
}

/** Nothing more is sent for a cancelled request; where the connection still stands, its stream ends without a response. */
function abandon({ stream, reply, http }: Incoming): FastifyReply {
  if (!stream.opened && !stream.usable && !http.raw.destroyed) return reply.code(202).send()
  stream.end()
  if (!reply.sent) reply.hijack()
  return reply
}

function sendReply(reply: FastifyReply, { body, status, headers }: Reply): FastifyReply {
  setHeaders(reply, headers)
  return reply.code(status).header('content-type', JSON_TYPE).send(body)
}
