import assert from 'node:assert/strict'
import { readdir, rm } from 'node:fs/promises'
import { request, type ClientRequest, type IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { after, before, describe } from 'node:test'
import { testHost, ToolFailure } from 'tasuki/testing'
import type { Engine, TestCaller, TestHost, TestHostOptions } from 'tasuki/testing'
import type { ProjectRow } from '../../../plugins/projects/index.ts'
import { share } from '../../members.ts'
import { forEachEngine } from '../../engines.ts'
import { startObjectStore, type ObjectStore } from './object-store.ts'

export type Store = 'local' | 's3'

/** Registers a suite for every pair of engine and storage. */
export function forEachStore(name: string, suite: (engine: Engine, store: Store) => void): void {
  forEachEngine(name, engine => {
    for (const store of ['local', 's3'] as const) describe(store, () => suite(engine, store))
  })
}

export interface Newcomer extends TestCaller {
  readonly email: string
  /** Reference of a task for attachments. */
  readonly ref: string
}

/** A listening host for the tests of a suite, with an adjustable clock. */
export interface FilesHost {
  readonly host: TestHost
  /** Creates a user for a test, so that tests do not see each other's files. */
  newUser(): Promise<Newcomer>
  share(owner: TestCaller, key: string, email: string, role: 'editor' | 'viewer' | null): Promise<void>
  /** Advances the clock of the host by milliseconds. */
  pass(ms: number): void
  /** Lists the keys in the storage, of all users or of one. */
  stored(userId?: string): Promise<string[]>
  /** Deletes a file in the storage behind the host's back. */
  lose(key: string): Promise<void>
  /** Lists incomplete uploads on this machine. */
  incoming(): Promise<string[]>
  /** Runs a job of the plugin like the queue. */
  run(job: 'expire' | 'sweep', payload?: object): Promise<void>
  statements(call: () => Promise<unknown>): Promise<string[]>
}

export function filesHost(
  engine: Engine,
  store: Store,
  {
    settings = {},
    otherPlugins = {},
    ...options
  }: TestHostOptions & { readonly settings?: object; readonly otherPlugins?: object } = {},
): FilesHost {
  const cleanups: (() => Promise<void> | void)[] = []
  let host: TestHost
  let objects: ObjectStore | null = null
  let offset = 0
  let users = 0
  before(async () => {
    if (store === 's3') objects = await startObjectStore()
    host = await testHost(
      { after: work => void cleanups.unshift(work) },
      {
        ...options,
        engine,
        now: () => new Date(Date.now() + offset),
        config: { plugins: { ...otherPlugins, attachments: { ...settings, ...objects?.settings } } },
      },
    )
    await host.listen()
  })
  after(async () => {
    for (const cleanup of cleanups) await cleanup()
    await objects?.close()
  })
  const folder = (): string => join(host.dataDir, 'attachments')
  const keys = async (): Promise<string[]> => {
    if (objects) return objects.keys()
    const entries = await readdir(join(folder(), 'files'), { recursive: true, withFileTypes: true }).catch(() => [])
    return entries
      .filter(entry => entry.isFile())
      .map(({ parentPath, name }) => `${parentPath.split('/').at(-1)}/${name}`)
  }
  return {
    get host() {
      return host
    },
    async newUser() {
      const email = `user${++users}@example.com`
      const caller = await host.user(email)
      const { item } = await caller.call('items_create', { project_key: 'INBOX', title: 'Task with files' })
      return { ...caller, email, ref: item.ref }
    },
    async share(owner, key, email, role) {
      const [project] = await host.sql<ProjectRow>`
        select owner_id as "ownerId", id, key from projects.projects where owner_id = ${owner.userId} and key = ${key}`
      await host.write(ctx => share(ctx, project!, email, role))
    },
    pass: ms => void (offset += ms),
    stored: async userId =>
      (await keys()).filter(key => userId === undefined || key.startsWith(`${userId}/`)).toSorted(),
    lose: key => (objects ? objects.remove(key) : rm(join(folder(), 'files', key))),
    incoming: () => readdir(join(folder(), 'incoming')).catch(() => []),
    async run(name, payload = {}) {
      const job = host.registry.jobs.find(job => job.name === `attachments.${name}`)!
      await host.write(ctx => job.run(ctx, payload))
    },
    async statements(call) {
      const sent = await host.statements(call)
      return sent.filter(text => !/^(begin|commit|start transaction)/i.test(text))
    },
  }
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  readonly error: {
    readonly code: string
    readonly message: string
    readonly details?: Readonly<Record<string, unknown>>
  }
}

/** Begins a request; the test sends its body. */
export function begin(
  method: string,
  url: string,
  headers: object = {},
): { readonly request: ClientRequest; readonly answer: Promise<Answer> } {
  const sent = request(url, { method, headers: { ...headers } })
  const answer = new Promise<Answer>((resolve, reject) => {
    sent.once('error', reject)
    sent.once('response', response => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => void chunks.push(chunk))
      response.once('error', reject)
      response.once('end', () => {
        const body = Buffer.concat(chunks)
        const json = response.headers['content-type']?.startsWith('application/json') ? parsed(body) : undefined
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          body,
          error: json?.error ?? { code: '', message: '' },
        })
      })
    })
  })
  return { request: sent, answer }
}

function parsed(body: Buffer): { error: Answer['error'] } | undefined {
  try {
    return JSON.parse(body.toString()) as { error: Answer['error'] }
  } catch {
    return undefined
  }
}

export async function put(url: string, body: Buffer, headers: object = {}): Promise<Answer> {
  const { request: sent, answer } = begin('PUT', url, { 'content-length': body.length, ...headers })
  sent.end(body)
  return answer
}

export async function get(url: string, headers: object = {}): Promise<Answer> {
  const { request: sent, answer } = begin('GET', url, headers)
  sent.end()
  return answer
}

/** Awaits a call that must be refused. @returns its error */
export async function refused(call: Promise<unknown>): Promise<ToolFailure> {
  const error = await call.then(
    () => assert.fail('the call was not refused'),
    (thrown: unknown) => thrown,
  )
  if (error instanceof ToolFailure) return error
  throw error
}

export async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (await condition()) return
    await new Promise(resolve => setTimeout(resolve, 25))
  }
  assert.fail('it did not happen within five seconds')
}
