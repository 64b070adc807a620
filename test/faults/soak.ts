import { readFileSync, readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { createTestDatabase } from '../../core/testing/database.ts'
import { migratedFolder } from '../core/migrated-folder.ts'
import { startInstance, TOKEN, type Instance } from './instance.ts'
import { inFolder } from './writing.ts'

/** A sample during the soak test. */
export interface Sample {
  /** Seconds since the start. */
  readonly at: number
  readonly calls: number
  /** Memory in megabytes. */
  readonly memory: number
  /** Open files and sockets of the process. */
  readonly handles: number
  /** Open requests and streams, and cached credentials, from /metrics. */
  readonly open: number
  readonly credentials: number
  /** 95th percentile of a hundred identical reads, in milliseconds. */
  readonly latency: number
  /** Row counts of the service's own tables; PostgreSQL only. */
  readonly rows: Readonly<Record<string, number>>
}

const TABLES = [
  'core.idempotency_keys',
  'core.confirmations',
  'core.audit',
  'core.oauth_artifacts',
  'core_jobs.job',
  'conversations.messages',
  'portal.sessions',
  'portal.attempts',
]

/** Runs callers of every kind. @returns samples at equal intervals; the first one after the start has settled */
export function soak(engine: 'pglite' | 'postgres', minutes: number, samples = 12): Promise<readonly Sample[]> {
  return inFolder(async (dataDir, configFile) => {
    const database = engine === 'postgres' ? await createTestDatabase() : null
    if (!database) await migratedFolder(dataDir)
    const instance = await startInstance({ dataDir, configFile, ...(database && { databaseUrl: database.url }) })
    const stop = new AbortController()
    const counter = { calls: 0 }
    const found: Sample[] = []
    const began = performance.now()
    const callers = CALLERS.map(each => keepCalling(instance, each, counter, stop.signal))
    try {
      for (let n = 0; n < samples; n++) {
        await sleep((minutes * 60_000) / samples)
        found.push({
          at: Math.round((performance.now() - began) / 1000),
          calls: counter.calls,
          ...(await look(instance)),
          rows: database ? await rowsIn(database.url) : {},
        })
      }
      return found
    } finally {
      stop.abort()
      await Promise.all(callers)
      await instance.kill()
      await database?.drop()
    }
  })
}

type Caller = (instance: Instance, n: number) => Promise<unknown>

const post = (instance: Instance, body: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(`${instance.origin}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      ...headers,
    },
    body,
  })
const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'soak', version: '1' } },
})

/**
 * Kinds of callers: with and without keys, reading, searching, with sessions, with aborted streams, with wrong tokens, with malformed
 * requests, on pages.
 */
const CALLERS: readonly Caller[] = [
  async (instance, n) => {
    const made = await instance.call('items_create', { project_key: 'INBOX', title: `Item ${n % 200}` }, `key ${n}`)
    const ref = (made?.data['item'] as { ref: string } | undefined)?.ref
    if (ref === undefined) return
    await instance.call('items_patch', { item_ref: ref, priority: 'high' })
    await instance.call('discussions_create', { item_ref: ref, body: 'Said in passing', kind: 'fact' })
    await instance.call('items_complete', { item_ref: ref })
  },
  instance => instance.call('tasks_list', { q: 'is:open', limit: 20, include_total: true }),
  (instance, n) => instance.call('query', { q: `item ${n % 50}` }),
  instance => instance.call('me_overview', {}),
  (instance, n) => instance.call('items_get', { item_ref: `INBOX#${n}` }),
  instance => post(instance, initialize).then(answer => answer.text()),
  async instance => {
    const controller = new AbortController()
    const answer = fetch(`${instance.origin}/mcp`, {
      headers: { authorization: `Bearer ${TOKEN}`, accept: 'text/event-stream', 'mcp-protocol-version': '2025-11-25' },
      signal: controller.signal,
    })
    await Promise.race([answer.catch(() => null), sleep(50)])
    controller.abort()
    await answer.catch(() => null)
  },
  (instance, n) =>
    post(instance, initialize, { authorization: `Bearer wrong-${n % 20}` }).then(answer => answer.text()),
  instance => post(instance, '{"jsonrpc":').then(answer => answer.text()),
  instance => fetch(`${instance.origin}/sign-in`).then(page => page.text()),
]

async function keepCalling(
  instance: Instance,
  caller: Caller,
  counter: { calls: number },
  stop: AbortSignal,
): Promise<void> {
  for (let n = 1; !stop.aborted; n++) {
    await caller(instance, n).catch(() => null)
    counter.calls++
    await sleep(20)
  }
}

async function look(instance: Instance): Promise<Omit<Sample, 'at' | 'calls' | 'rows'>> {
  const times: number[] = []
  for (let n = 0; n < 20; n++) {
    const began = performance.now()
    await instance.call('tasks_list', { limit: 1 })
    times.push(performance.now() - began)
  }
  const metrics = await fetch(`${instance.origin}/metrics`).then(answer => answer.text())
  const metric = (name: string): number =>
    Number(new RegExp(`^tasuki_${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(metrics)?.[1] ?? Number.NaN)
  return {
    memory: memoryOf(instance.pid),
    handles: readdirSync(`/proc/${instance.pid}/fd`).length,
    open: metric('requests_open'),
    credentials: metric('credential_cache_entries'),
    latency: Math.round(times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)]! * 10) / 10,
  }
}

function memoryOf(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!
  return Math.round(Number(kilobytes) / 1024)
}

async function rowsIn(url: string): Promise<Record<string, number>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const counts = TABLES.map(table => `(select count(*) from ${table})::int as "${table}"`)
    const { rows } = await client.query<Record<string, number>>(`select ${counts.join(', ')}`)
    return rows[0]!
  } finally {
    await client.end()
  }
}

/** Describes values that grew under constant load, by comparing the last third of the samples with the first. */
export function driftOf(samples: readonly Sample[]): string[] {
  const third = Math.max(1, Math.floor(samples.length / 3))
  const median = (list: readonly Sample[], of: (sample: Sample) => number): number =>
    list.map(of).toSorted((a, b) => a - b)[Math.floor(list.length / 2)]!
  const compare = (what: string, of: (sample: Sample) => number, allowed: (before: number) => number): string[] => {
    const [before, after] = [median(samples.slice(0, third), of), median(samples.slice(-third), of)]
    return after > allowed(before) ? [`${what}: ${before} at first, ${after} at last`] : []
  }
  return [
    ...compare(
      'memory in MB',
      ({ memory }) => memory,
      before => before * 1.5 + 60,
    ),
    ...compare(
      'open files and sockets',
      ({ handles }) => handles,
      before => before + 20,
    ),
    ...compare(
      'requests under way',
      ({ open }) => open,
      before => before + 20,
    ),
    ...compare(
      'credentials that are kept',
      ({ credentials }) => credentials,
      before => before + 20,
    ),
    ...compare(
      'milliseconds of a read',
      ({ latency }) => latency,
      before => before * 4 + 50,
    ),
  ]
}
