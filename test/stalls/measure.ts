import { fork, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import type { Engine } from 'tasuki/testing'
import { templateParts } from '../../core/mcp/resource-address.ts'
import type { JsonSchema } from '../arguments.ts'
import { httpCaller } from '../http-caller.ts'
import { textParameters } from '../isolation/cells.ts'
import type { FoundForm } from '../plugins/portal/crawl.ts'
import type { Page } from '../plugins/portal/portal-host.ts'
import { MARKDOWN, PATTERNS, QUERIES, RULES, TEXTS, type HostileText } from './corpus.ts'
import type { FromServer, ToServer } from './messages.ts'

export interface Service {
  /** Paths of the portal's pages, with their parameters. */
  readonly pages: readonly string[]
  /** Opens a page of the portal as the owner. */
  open(address: string): Promise<Page>
  /** Sends a form of the portal as the owner. */
  send(address: string, body: URLSearchParams): Promise<Page>
  readonly call: ReturnType<typeof httpCaller>['call']
  readonly rpc: ReturnType<typeof httpCaller>['rpc']
  /** @returns milliseconds of processor time of the longest turn of the event loop during the work, at most two too high unless exact */
  watch(work: () => Promise<unknown>, exactly: boolean): Promise<number>
  /** Returns the next tool, with valid arguments; null after the last one. */
  nextTool(): Promise<{ readonly tool: string; readonly args: object; readonly input: JsonSchema } | null>
  close(): Promise<void>
}

/** Starts the measured process. */
export async function startService(engine: Engine): Promise<Service> {
  const child = fork(join(import.meta.dirname, 'server.ts'), [engine], {
    execArgv: ['--conditions=tasuki-source'],
  })
  const nextMessage = messagesOf(child)
  const ask = async (message: ToServer): Promise<FromServer> => {
    child.send(message)
    return nextMessage()
  }
  const ready = await nextMessage()
  if (ready.kind !== 'ready') throw new Error(`the service began with ${ready.kind}`)
  const { url, token, cookie, pages } = ready
  const { origin } = new URL(url)
  const { call, rpc } = httpCaller(origin, token)
  const request = async (address: string, options: RequestInit): Promise<Page> => {
    const headers = { cookie, 'sec-fetch-site': 'same-origin' }
    const answer = await fetch(origin + address, { ...options, headers, redirect: 'manual' })
    const bytes = Buffer.from(await answer.arrayBuffer())
    const { status } = answer
    const location = answer.headers.get('location') ?? undefined
    return { status, headers: Object.fromEntries(answer.headers), text: bytes.toString(), bytes, location }
  }
  return {
    pages,
    call,
    rpc,
    open: address => request(address, {}),
    send: (address, body) => request(address, { method: 'POST', body }),
    async watch(work, exactly) {
      await ask(exactly ? 'watch exactly' : 'watch')
      await work()
      const answer = await ask('stop')
      return answer.kind === 'longest' ? answer.milliseconds : Infinity
    },
    async nextTool() {
      const answer = await ask('next')
      if (answer.kind !== 'tool') return null
      return { ...answer, input: answer.input }
    },
    async close() {
      if (child.exitCode !== null) return
      child.send('close')
      await new Promise(done => child.once('exit', done))
    },
  }
}

function messagesOf(child: ChildProcess): () => Promise<FromServer> {
  const waiting: FromServer[] = []
  let wake: (() => void) | undefined
  let ended = false
  child.on('message', (message: FromServer) => {
    waiting.push(message)
    wake?.()
  })
  child.on('exit', () => {
    ended = true
    wake?.()
  })
  return async () => {
    while (waiting.length === 0) {
      if (ended) throw new Error('the measured process has ended')
      await new Promise<void>(done => (wake = done))
    }
    return waiting.shift()!
  }
}

/** A call with one hostile argument. */
export interface HostileCall {
  readonly what: string
  readonly tool: string
  readonly args: object
}

/** Length of test texts for parameters without a limit. */
const UNLIMITED = 1_000_000
/** Maximum characters of all texts of a list. */
const LARGEST_LIST = 2_000_000
/** A list as some models send it, with a separator for every second character. */
const LIST_AS_TEXT = 'a,'.repeat(UNLIMITED / 2)
/** The service accepts so many values in a request. */
const MOST_VALUES = 9900
const TOO_MANY_VALUES = 90_000

function manyMembers(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`member${n}`, `text ${n}`]))
}

/** Length of texts for parameters with a lower limit: values may be converted before they are refused. */
const TOO_LONG = 60_000
const TOO_LONG_TEXTS = TEXTS.filter(({ name }) => name.includes('accents'))
/** Texts for short parameters, a sample: long parameters cover the rest of the common code. */
const SHORT = 400
const SHORT_TEXTS = TEXTS.filter((_, n) => n % 6 === 1)

/** Selects the texts for a parameter. The same code reads most parameters of one name and size. */
export type Choice = (name: string, size: number, texts: readonly HostileText[]) => readonly HostileText[]

export const allTexts: Choice = (_name, _size, texts) => texts

/**
 * Makes a choice that spreads the texts over all parameters of one name and size, a few for each, so that together they cover every text.
 * @param turns a parameter gets one of this many texts
 */
export function newChoice(turns = 20): Choice {
  const seen = new Map<string, number>()
  return (name, size, texts) => {
    const key = `${name} ${size}`
    const before = seen.get(key) ?? 0
    seen.set(key, before + 1)
    return texts.filter((_, n) => n % turns === before % turns)
  }
}

/** Yields calls with many unknown arguments, with hostile texts in each text parameter, and with as many texts as fit in lists. */
export function* hostileCalls(tool: string, args: object, input: JsonSchema, choose: Choice): Generator<HostileCall> {
  const members = manyMembers(MOST_VALUES)
  yield { what: `${tool} many unknown arguments`, tool, args: { ...args, ...members } }
  for (const { name, put } of textParameters(input)) {
    const schema = schemaAt(input, name)
    const size = schema.maxLength ?? UNLIMITED
    for (const { name: text, make } of choose(name, size, textsFor(name, size)))
      yield { what: `${tool} ${name} ${text}`, tool, args: put(args as never, make(size)) }
    if (size < TOO_LONG)
      for (const { name: text, make } of TOO_LONG_TEXTS)
        yield { what: `${tool} ${name} too long ${text}`, tool, args: put(args as never, make(TOO_LONG)) }
    const most = name.includes('[]') ? listLimit(input, name) : 0
    if (most === 0) continue
    const list = name.split('[]')[0]!
    yield { what: `${tool} ${list} as text`, tool, args: { ...args, [list]: LIST_AS_TEXT } }
    for (const { name: text, make } of choose(`${name} list`, size, SHORT_TEXTS)) {
      const value = make(Math.min(size, Math.floor(LARGEST_LIST / most)))
      const [first] = (put(args as never, value) as Record<string, readonly unknown[]>)[list]!
      const all = Array.from({ length: most }, () => first)
      yield { what: `${tool} ${name} ${most} × ${text}`, tool, args: { ...args, [list]: all } }
    }
  }
}

/** A request to the MCP endpoint with hostile parameters. */
export interface HostileRequest {
  readonly what: string
  readonly method: string
  readonly params: object
}

/** Yields calls with many arguments, and a hostile text in every place of prompts, resources, completions and the handshake. */
export async function* hostileRequests({ rpc }: Pick<Service, 'rpc'>): AsyncGenerator<HostileRequest> {
  const { prompts } = await rpc('prompts/list', {})
  const { resourceTemplates } = await rpc('resources/templates/list', {})
  for (const count of [MOST_VALUES, TOO_MANY_VALUES]) {
    const members = manyMembers(count)
    for (const args of [members, { list: Object.values(members) }])
      yield { what: `${count} values`, method: 'tools/call', params: { name: 'items_create', arguments: args } }
  }
  for (const { name: text, make } of TOO_LONG_TEXTS) {
    const value = make(TOO_LONG)
    const requests: [string, object][] = [
      [
        'initialize',
        { protocolVersion: value, capabilities: { [value]: {} }, clientInfo: { name: value, version: value } },
      ],
      ['logging/setLevel', { level: value }],
      [value, {}],
    ]
    for (const { name, arguments: args = [] } of prompts) {
      const names: string[] = args.map((each: { name: string }) => each.name)
      requests.push(['prompts/get', { name, arguments: Object.fromEntries(names.map(each => [each, value])) }])
    }
    for (const { uriTemplate: uri } of resourceTemplates as { uriTemplate: string }[]) {
      const names = templateParts(uri)
      const given = { arguments: Object.fromEntries(names.map(each => [each, value])) }
      const ref = { type: 'ref/resource', uri }
      for (const written of [value, encodeURIComponent(value)])
        requests.push(['resources/read', { uri: uri.replaceAll(/\{\w+\}/g, written) }])
      for (const name of names)
        for (const typed of ['a', value])
          requests.push(['completion/complete', { ref, argument: { name, value: typed }, context: given }])
    }
    for (const [method, params] of requests) yield { what: `${method.slice(0, 40)} ${text}`, method, params }
  }
}

/** A form of the portal with one hostile field. */
export interface HostileForm {
  readonly what: string
  readonly address: string
  readonly body: URLSearchParams
}

/** Length of the texts in forms, which fit in a body when they are encoded. */
const IN_FORM = 30_000

/** Yields a form with hostile texts in each of its fields. */
export function* hostileForms({ address, fields }: FoundForm, choose: Choice): Generator<HostileForm> {
  for (const [name] of fields.filter(([field]) => !['proof', 'once'].includes(field))) {
    const texts = new Set([...TOO_LONG_TEXTS, ...choose(name, IN_FORM, [...TEXTS, ...MARKDOWN])])
    for (const { name: text, make } of texts) {
      const body = new URLSearchParams()
      for (const [field, value] of fields) body.append(field, value)
      body.set(name, make(IN_FORM))
      yield { what: `${address} ${name} ${text}`, address, body }
    }
  }
}

function textsFor(name: string, size: number): readonly HostileText[] {
  if (name === 'recurrence_rule') return [...RULES.map(rule => ({ name: rule, make: () => rule })), ...TEXTS]
  if (name === 'pattern') return [...PATTERNS, ...TEXTS]
  if (name === 'q' || name === 'filters') return [...QUERIES, ...TEXTS]
  return size <= SHORT ? SHORT_TEXTS : [...TEXTS, ...MARKDOWN]
}

/** Returns the schema of a text parameter, by a name from `textParameters`. */
function schemaAt(input: JsonSchema, name: string): JsonSchema {
  return name.split(/(?=\[\]|\{\})|\./).reduce<JsonSchema>((schema, step) => {
    const inner = step === '[]' ? schema.items : step === '{}' ? {} : schema.properties?.[step]
    return chosen(inner ?? {})
  }, input)
}

function listLimit(input: JsonSchema, name: string): number {
  return chosen(input.properties?.[name.split('[]')[0]!] ?? {}).maxItems ?? 100
}

/** Returns the schema of the other values of a nullable value. */
function chosen(schema: JsonSchema): JsonSchema {
  return schema.anyOf?.find(({ type }) => type !== 'null') ?? schema
}
