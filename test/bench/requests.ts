import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { startBare, startService, type Server } from './processes.ts'
import { KEYS, TASKS } from './data.ts'
import type { Target } from './load.ts'
import { PARTS } from './bare-sql.ts'
import type { Pair } from './rounds.ts'
import { seededRandom } from '../random.ts'
import { pick, sentence } from './texts.ts'

export interface Place {
  readonly url: string
  readonly ownerId: string
  readonly token: string
  readonly configFile: string
  readonly poolSize: number
}

/** Connection settings of the baseline: those of the service, except that PostgreSQL chooses by itself which plans to cache. */
const SETTINGS = '-c jit=off -c timezone=UTC'
const BODIES = 64
type Arguments = Readonly<Record<string, unknown>>
export interface Listed {
  readonly name: string
  readonly inputSchema: { readonly properties: Readonly<Record<string, unknown>> }
  readonly outputSchema?: unknown
}

export interface Stand {
  readonly pairs: readonly Pair[]
  /** Differences between the answers of the two sides. */
  readonly differences: readonly string[]
  stop(): Promise<void>
}

/** Starts both servers, prepares the calls, and checks that both sides answer the same. */
export async function setUp({ url, ownerId, token, configFile, poolSize }: Place): Promise<Stand> {
  const headers = headersOf(token)
  const service = await startService({ DATABASE_URL: url, CONFIG: configFile })
  await waitUntilIndexed(url)
  const send = async (server: Server, path: string, body: string): Promise<string> => {
    const response = await fetch(server.origin + path, { method: 'POST', headers, body })
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
    return response.text()
  }
  const echo = call('bench_echo', { text: 'The quick brown fox jumps over the lazy dog.' })
  const list = rpc('tools/list', {})
  const constant = {
    '/bench_echo': await send(service, '/mcp', echo),
    '/tools_list': await send(service, '/mcp', list),
  }
  const { tools } = JSON.parse(constant['/tools_list']).result as { tools: readonly Listed[] }
  const fields = [...JSON.stringify(tools.map(tool => tool.outputSchema)).matchAll(/"(\w+)":/g)].map(match => match[1]!)
  const bare = await startBare({ url, ownerId, poolSize, settings: SETTINGS, fields, constant })

  const random = seededRandom(7)
  const several = (name: string, make: (n: number) => Arguments): string[] =>
    Array.from({ length: BODIES }, (_, n) => call(name, make(n)))
  const refs = await references(service, send)
  const flags = flagsOf(tools)
  const bodies = {
    items_get: several('items_get', () => ({ item_ref: pick(random, refs) })),
    tasks_list: several('tasks_list', n => ({ project_key: KEYS[n % KEYS.length], limit: 10 })),
    'tasks_list, all includes': several('tasks_list', n => ({
      project_key: KEYS[n % KEYS.length],
      limit: 10,
      ...flags,
    })),
    items_create: several('items_create', n => ({
      project_key: KEYS[n % KEYS.length],
      title: sentence(random, 6),
      detail: sentence(random, 20),
      due_date: '2027-03-01',
      priority: 'high',
    })),
  }
  const differences: string[] = []
  for (const [name, [body]] of Object.entries(bodies)) {
    const ours = JSON.parse(await send(service, '/mcp', body!)).result.structuredContent as unknown
    const theirs = JSON.parse(await send(bare, pathOf(name), body!)) as unknown
    const keep = name === 'items_create' ? shapeOf : (value: unknown): unknown => value
    differences.push(...difference(keep(ours), keep(theirs), name))
  }
  const side = (server: Server, path: string, sent: readonly string[]): Target => ({
    server,
    path,
    headers,
    bodies: sent,
  })
  const pair = (name: string, path: string, sent: readonly string[], targets: Pair['targets']): Pair => ({
    name,
    ours: side(service, '/mcp', sent),
    theirs: side(bare, path, sent),
    targets,
  })
  const read = { latency: 1.5, throughput: 0.6 }
  return {
    differences,
    pairs: [
      pair('tools/call of a trivial tool', '/bench_echo', [echo], { cpu: 1.8 }),
      pair('tools/list', '/tools_list', [list], { cpu: 1.2 }),
      ...Object.entries(bodies).map(([name, sent]) =>
        pair(name, pathOf(name), sent, name === 'items_create' ? { latency: 1.8, throughput: 0.5 } : read),
      ),
    ],
    async stop() {
      await Promise.all([service.stop(), bare.stop()])
    },
  }
}

/** Waits until the inserted tasks are indexed for search. Indexing uses a processor, and in an old deployment it is already done. */
export async function waitUntilIndexed(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    for (const deadline = Date.now() + 300_000; Date.now() < deadline; await sleep(500)) {
      const { rows } = await client.query<{ missing: number }>(
        'select (select count(*) from items.items)::int - (select count(*) from search.documents)::int as missing',
      )
      if (rows[0]!.missing <= 0) break
    }
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
}

const pathOf = (name: string): string => `/${name.split(',', 1)[0]}`

function rpc(method: string, params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
}

export function call(name: string, args: Arguments): string {
  return rpc('tools/call', { name, arguments: args })
}

export function headersOf(token: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
    authorization: `Bearer ${token}`,
  }
}

/** Returns the flags of tasks_list, all set. The baseline must support each of them. */
export function flagsOf(tools: readonly Listed[]): Readonly<Record<string, true>> {
  const { properties } = tools.find(tool => tool.name === 'tasks_list')!.inputSchema
  const flags = Object.keys(properties).filter(
    name => PARTS.some(part => part.flag === name) || (name.startsWith('include_') && !BUILT_IN.has(name)),
  )
  return Object.fromEntries(flags.map(flag => [flag, true]))
}

/** Flags that add no fields: the body is included by default, and counting all matches is not part of the comparison. */
const BUILT_IN = new Set(['include_detail', 'include_total'])

/** Returns references that are spread over all tasks. */
async function references(
  service: Server,
  send: (server: Server, path: string, body: string) => Promise<string>,
): Promise<string[]> {
  const found: string[] = []
  for (const key of KEYS) {
    for (const offset of [0, TASKS / 4]) {
      const text = await send(service, '/mcp', call('tasks_list', { project_key: key, limit: 100, offset }))
      const { items } = JSON.parse(text).result.structuredContent as { items: { ref: string }[] }
      found.push(...items.map(item => item.ref))
    }
  }
  return found
}

/** Lists the paths at which two answers differ; for a list, only the first one. */
function difference(ours: unknown, theirs: unknown, path: string): string[] {
  if (Object.is(ours, theirs)) return []
  if (typeof ours !== 'object' || typeof theirs !== 'object' || ours === null || theirs === null) {
    return [`${path}: ${JSON.stringify(ours)} of the service, ${JSON.stringify(theirs)} of the bare route`]
  }
  const names = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])]
  const found = names.flatMap(name =>
    difference((ours as Arguments)[name], (theirs as Arguments)[name], `${path}.${name}`),
  )
  return Array.isArray(ours) ? found.slice(0, 1) : found
}

/** Replaces the values of an answer by their types, to compare records that were created separately. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (value === null || typeof value !== 'object') return typeof value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]))
}
