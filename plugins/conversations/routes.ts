import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ToolError, Type, type Actor, type HostServices, type RouteCall } from 'tasuki/plugin'
import { listMessages, postedMessage, postMessages } from './messages.ts'
import { insertThread } from './thread.repository.ts'
import { deleteThread, listThreads, requireThread } from './thread.service.ts'

/** Maximum size of a request in bytes: the maximum number of messages at their maximum length. */
const BODY_LIMIT = 4_000_000
const MAX_MESSAGES = 50

const strict = { additionalProperties: false }
const limit = (most: number) => Type.Optional(Type.Integer({ minimum: 1, maximum: most, description: 'How many.' }))
const ThreadId = Type.Object({ id: Type.String({ format: 'uuid', description: 'Id of a thread.' }) })

const Opening = Type.Object(
  {
    title: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'What it is about.' })),
    client: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'Name by which the MCP client of the chat introduces itself.',
      }),
    ),
  },
  strict,
)
const ThreadPage = Type.Object(
  { limit: limit(100), offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000 })) },
  strict,
)
const MessagePage = Type.Object({ limit: limit(200), after: Type.Optional(Type.String({ format: 'uuid' })) }, strict)
const Message = Type.Object(postedMessage, strict)
const Messages = Type.Object({ messages: Type.Array(Message, { minItems: 1, maxItems: MAX_MESSAGES }) }, strict)

/** Serves the API for chat front ends to store conversations. Requests need a bearer token. */
export function routes(app: FastifyInstance, services: HostServices): void {
  app.removeContentTypeParser('text/plain')
  services.guardApi(app, '/api/threads')
  const checkThread = services.inputChecker(ThreadId)
  const checkOpening = services.inputChecker(Opening)
  const checkThreadPage = services.inputChecker(ThreadPage)
  const checkMessagePage = services.inputChecker(MessagePage)
  const checkMessage = services.inputChecker(Message)
  const checkMessages = services.inputChecker(Messages)
  const authorize = (request: FastifyRequest, name: string, scope: Actor['scope']): RouteCall => {
    const actor = services.caller(request)
    if (scope === 'write' && actor.scope === 'read')
      throw new ToolError('insufficient_scope', 'This writes, and the token may only read.', {
        hint: 'Use a token of scope write.',
      })
    return { userId: actor.userId, actor, name: `conversations.${name}`, requestId: request.id, address: request.ip }
  }

  app.post('/api/threads', { bodyLimit: BODY_LIMIT }, async (request, reply) => {
    const call = authorize(request, 'open', 'write')
    const opening = checkOpening(request.body ?? {})
    return reply.code(201).send({ thread: await services.write(call, ctx => insertThread(ctx, opening)) })
  })
  app.get('/api/threads', async request => {
    const call = authorize(request, 'list', 'read')
    const page = checkThreadPage(parseNumbers(request.query))
    return services.read(call, ctx => listThreads(ctx, page))
  })
  app.get('/api/threads/:id', async request => {
    const call = authorize(request, 'read', 'read')
    const { id } = checkThread(request.params)
    return { thread: await services.read(call, ctx => requireThread(ctx, id)) }
  })
  app.delete('/api/threads/:id', async request => {
    const call = authorize(request, 'delete', 'write')
    const { id } = checkThread(request.params)
    return { deleted: true, id, messages: await services.write(call, ctx => deleteThread(ctx, id)) }
  })
  app.post('/api/threads/:id/messages', { bodyLimit: BODY_LIMIT }, async (request, reply) => {
    const call = authorize(request, 'post', 'write')
    const { id } = checkThread(request.params)
    const { body } = request
    const many = typeof body === 'object' && body !== null && 'messages' in body
    const messages = many ? checkMessages(body).messages : [checkMessage(body ?? {})]
    return reply.code(201).send({ messages: await services.write(call, ctx => postMessages(ctx, id, messages)) })
  })
  app.get('/api/threads/:id/messages', async request => {
    const call = authorize(request, 'messages', 'read')
    const { id } = checkThread(request.params)
    const { limit: most = 50, after } = checkMessagePage(parseNumbers(request.query))
    return services.read(call, ctx => listMessages(ctx, id, { limit: most, after }))
  })
}

/** Converts the numbers in a query string. */
function parseNumbers(query: unknown): object {
  return Object.fromEntries(
    Object.entries(query as object).map(([name, value]) => [
      name,
      typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : (value as unknown),
    ]),
  )
}
