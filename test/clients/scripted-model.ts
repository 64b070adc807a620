import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A call that the model requests from its client; `tool` is its name at the service. */
export interface ModelCall {
  readonly tool: string
  readonly args: object
}

/**
 * The next step of the model: calls, or a text that ends the conversation.
 * @param answers the client's answers to all calls so far, in order
 */
export type Script = (answers: readonly string[]) => readonly ModelCall[] | string

export interface ScriptedModel {
  /** `http://127.0.0.1:<port>`, without a path. */
  readonly origin: string
  /** The client's answers to all calls, as of its last request. */
  readonly answers: readonly string[]
  /** Names of the tools that the client offered. */
  readonly offered: readonly string[]
  close(): Promise<void>
}

/** A request for the next turn, independent of the API dialect. */
interface Asked {
  readonly offered: readonly Offered[]
  readonly answers: readonly string[]
}
/** A tool as the client offers it. */
interface Offered {
  readonly name: string
  readonly namespace?: string
}
interface NamedCall extends Offered {
  readonly id: string
  readonly args: object
}
interface Dialect {
  readonly path: RegExp
  read(body: Body): Asked
  /** Renders the turn as stream events. */
  write(turn: readonly NamedCall[] | string): readonly string[]
}
// oxlint-disable-next-line typescript/no-explicit-any -- bodies of foreign protocols
type Body = any

/** Serves one scripted conversation in the API dialects of OpenAI (chat completions and responses), Gemini and Anthropic. */
export async function startScriptedModel(script: Script): Promise<ScriptedModel> {
  let last: Asked = { offered: [], answers: [] }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const dialect = DIALECTS.find(({ path }) => path.test(request.url!))
    const body = await text(request)
    if (request.method !== 'POST' || !dialect) return void response.writeHead(404).end('{}')
    const asked = dialect.read(JSON.parse(body))
    // Clients also request a title of the conversation and similar texts, without offering tools.
    const main = asked.offered.some(({ name }) => isNameOf('items_get', name))
    if (main) last = asked
    const turn = main ? script(asked.answers) : 'A conversation'
    const said = typeof turn === 'string' ? turn : turn.map((call, index) => toNamedCall(call, asked, index))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of dialect.write(said)) response.write(`${event}\n\n`)
    response.end()
  }
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.writeHead(400).end(String(error)))
  })
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get answers() {
      return last.answers
    },
    get offered() {
      return last.offered.map(({ name }) => name)
    },
    close: () =>
      new Promise(closed => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

/** Matches a tool name with or without the prefix of its server, which some clients add. */
export const isNameOf = (tool: string, name: string): boolean => name === tool || name.endsWith(`_${tool}`)

function toNamedCall({ tool, args }: ModelCall, { offered, answers }: Asked, index: number): NamedCall {
  const found = offered.find(({ name }) => isNameOf(tool, name))
  if (!found) throw new Error(`the client offers no ${tool}`)
  return { ...found, id: `call_${answers.length + index}`, args }
}

const event = (data: object): string => `data: ${JSON.stringify(data)}`
const namedEvent = (data: { readonly type: string }): string => `event: ${data.type}\n${event(data)}`
const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }

const chatCompletions: Dialect = {
  path: /\/chat\/completions/,
  read: ({ tools = [], messages }) => ({
    offered: tools.map((tool: Body) => ({ name: tool.function.name })),
    answers: sortByCall(
      messages
        .filter(({ role }: Body) => role === 'tool')
        .map((each: Body) => ({ id: each.tool_call_id, text: extractText(each.content) })),
    ),
  }),
  write(turn) {
    const chunk = (delta: object, finish: string | null, more: object = {}): string => {
      const choices = [{ index: 0, delta, finish_reason: finish }]
      return event({
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        created: 0,
        model: 'scripted',
        choices,
        ...more,
      })
    }
    const said = typeof turn === 'string'
    const calls = said
      ? []
      : turn.map(({ id, name, args }, index) => {
          return { index, id, type: 'function', function: { name, arguments: JSON.stringify(args) } }
        })
    const delta = said ? { content: turn } : { tool_calls: calls }
    const last = chunk({}, said ? 'stop' : 'tool_calls', { usage: USAGE })
    return [chunk({ role: 'assistant', ...delta }, null), last, 'data: [DONE]']
  },
}

const gemini: Dialect = {
  path: /:(streamGenerateContent|generateContent)/,
  read: ({ tools = [], contents }) => ({
    offered: tools.flatMap((tool: Body) => tool.functionDeclarations ?? []),
    answers: sortByCall(
      contents
        .flatMap(({ parts = [] }: Body) => parts)
        .filter((part: Body) => part.functionResponse)
        .map(({ functionResponse: each }: Body) => ({ id: each.id, text: extractText(each.response) })),
    ),
  }),
  write(turn) {
    const parts =
      typeof turn === 'string'
        ? [{ text: turn }]
        : turn.map(({ id, name, args }) => ({ functionCall: { id, name, args } }))
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 }
    return [
      event({ candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }], usageMetadata }),
    ]
  },
}

const responses: Dialect = {
  path: /\/responses/,
  read: ({ tools = [], input }) => ({
    offered: tools.flatMap((tool: Body) =>
      tool.type === 'namespace'
        ? tool.tools.map(({ name }: Body) => ({ name, namespace: tool.name }))
        : [{ name: tool.name ?? '' }],
    ),
    answers: sortByCall(
      input
        .filter(({ type }: Body) => type === 'function_call_output')
        .map((each: Body) => ({ id: each.call_id, text: extractText(each.output) })),
    ),
  }),
  write(turn) {
    const items =
      typeof turn === 'string'
        ? [{ type: 'message', role: 'assistant', id: 'msg_1', content: [{ type: 'output_text', text: turn }] }]
        : turn.map(({ args, id, ...offered }) => {
            return { type: 'function_call', id, call_id: id, ...offered, arguments: JSON.stringify(args) }
          })
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
    const response = { id: 'resp_1', object: 'response', model: 'scripted', usage }
    return [
      { type: 'response.created', response },
      ...items.map((item, index) => ({ type: 'response.output_item.done', output_index: index, item })),
      { type: 'response.completed', response: { ...response, output: items } },
    ].map(namedEvent)
  },
}

const messages: Dialect = {
  path: /\/messages(\?|$)/,
  read: ({ tools = [], messages }) => ({
    offered: tools,
    answers: sortByCall(
      messages
        .flatMap(({ content }: Body) => (Array.isArray(content) ? content : []))
        .filter(({ type }: Body) => type === 'tool_result')
        .map((each: Body) => ({ id: each.tool_use_id, text: extractText(each.content) })),
    ),
  }),
  write(turn) {
    const said = typeof turn === 'string'
    const blocks = said
      ? [{ start: { type: 'text', text: '' }, delta: { type: 'text_delta', text: turn } }]
      : turn.map(({ id, name, args }) => ({
          start: { type: 'tool_use', id, name, input: {} },
          delta: { type: 'input_json_delta', partial_json: JSON.stringify(args) },
        }))
    const usage = { input_tokens: 1, output_tokens: 1 }
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'scripted', content: [], usage }
    return [
      { type: 'message_start', message },
      ...blocks.flatMap(({ start, delta }, index) => [
        { type: 'content_block_start', index, content_block: start },
        { type: 'content_block_delta', index, delta },
        { type: 'content_block_stop', index },
      ]),
      { type: 'message_delta', delta: { stop_reason: said ? 'end_turn' : 'tool_use' }, usage },
      { type: 'message_stop' },
    ].map(namedEvent)
  },
}

const DIALECTS: readonly Dialect[] = [chatCompletions, gemini, responses, messages]

/** Sorts answers by the order of their calls, which ran concurrently. */
function sortByCall(answers: readonly { readonly id: string; readonly text: string }[]): string[] {
  const place = (id: string): number => Number(/^call_(\d+)/.exec(id)?.[1] ?? 0)
  return answers.toSorted((a, b) => place(a.id) - place(b.id)).map(({ text }) => text)
}

/** Extracts the texts of an answer, regardless of the client's wrapping. */
function extractText(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(extractText).join('\n')
  if (typeof value === 'object' && value !== null) return Object.values(value).map(extractText).join('\n')
  return ''
}
