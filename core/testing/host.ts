import { sql } from 'kysely'
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes, randomUUID } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyServerOptions } from 'fastify'
import { rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { issueToken } from '../identity/tokens.ts'
import { findUsers } from '../identity/user.repository.ts'
import { createUser } from '../identity/users.ts'
import { runCommand } from '../cli/run-command.ts'
import { loadConfig } from '../host/config/load.ts'
import { loadFastifyPlugins, loadPlugins, type ConfiguredPlugin } from '../host/config/plugins.ts'
import type { StatementMessage } from '../db/statements.ts'
import { buildHost, type Host } from '../host/host.ts'
import type { HostOptions } from '../host/host-options.ts'
import { systemScope } from '../runtime/system-scope.ts'
import type { CommandResult } from '../plugin/command.ts'
import type { WriteContext } from '../plugin/context.ts'
import type { HostPlugin } from '../plugin/plugin.ts'
import type { NewToken } from '../plugin/users.ts'
import { newBrowser, PASSWORD, type Browser } from './browser.ts'
import { makeCaller, type LoggedErrors, type TestCaller } from './caller.ts'
import { createTestDatabase, templateSnapshot, type Engine } from './database.ts'
import { emptyTables } from './empty-tables.ts'

export interface TestHostOptions extends Pick<HostOptions, 'now' | 'fetchPublic' | 'metricsToken' | 'traces'> {
  /** Default: the embedded engine, in memory. */
  readonly engine?: Engine
  /** Merged over the default config, for example `{ plugins: { labels: false } }`; default: statements may take a minute. */
  readonly config?: Readonly<Record<string, unknown>>
  /** Limits the plugins of the config to these and their dependencies; default: all. */
  readonly only?: readonly string[]
  /** Plugins in addition to those of the config, with their settings. */
  readonly plugins?: readonly (HostPlugin | readonly [HostPlugin, object])[]
  /** Folder for files of plugins; default: one that is deleted after the test. */
  readonly dataDir?: string
  /** Starts without tables, even if a template was prepared. */
  readonly empty?: boolean
  /** Default: the level in TEST_LOG, else silent. */
  readonly logger?: FastifyServerOptions['logger']
  /** Secret of the deployment, for several hosts that are instances of one; default: a new one. */
  readonly secret?: Buffer
  /** Public origin, for several hosts that are instances of one; default: the address of this host. */
  readonly baseUrl?: string
  /** Database of an earlier test host, to start with its data. */
  readonly database?: TestHost['databaseOptions']
}

/** A host with one owner (owner@example.com), whose token its own methods use. */
export interface TestHost extends TestCaller, Host {
  /** Creates another user with a write token. */
  user(email: string, options?: { scope?: 'read' | 'write'; timeZone?: string }): Promise<TestCaller>
  /** Returns a caller for the owner with a token of scope read. */
  reader(): Promise<TestCaller>
  /** Returns a caller for the owner with another token. */
  credential(options: {
    scope?: 'read' | 'write'
    kind?: 'agent' | 'human'
    projects?: readonly string[]
    expiresAt?: Date
  }): Promise<TestCaller & { readonly tokenId: string }>
  command(name: string, args?: object): Promise<CommandResult>
  /** Sets a password for a user, default the owner, and opens a browser without scripts in which the user is signed in to the portal. */
  browser(email?: string): Promise<Browser>
  /** Runs a statement directly and returns its rows. */
  sql<T = Record<string, unknown>>(parts: TemplateStringsArray, ...values: unknown[]): Promise<readonly T[]>
  /** Runs work in a write context as the system. */
  write<T>(work: (ctx: WriteContext) => Promise<T>): Promise<T>
  /** Returns the statements that a call sends, without those of authentication and without the quotes around names. */
  statements(call: () => Promise<unknown>): Promise<string[]>
  readonly databaseOptions: Parameters<typeof buildHost>[0]['database']
  readonly dataDir: string
  /** Deletes all users with their data and creates a new owner, so that a test starts clean without another host. */
  reset(): Promise<TestHost>
  /** Listens on a free port of this machine. @returns the URL of the endpoint */
  listen(): Promise<string>
  /** Stops the host; its database exists until the test ends. */
  close(): Promise<void>
}

/** Milliseconds for a statement: what fills tables in one statement takes long on a loaded machine. */
const QUERY_TIMEOUT = 60_000

/** Statements about tokens alone: those of authentication and of the last use. */
const OF_TOKENS = /core\.tokens(?![^]*core\.oauth_artifacts)/
const QUOTED = /"([a-z_]+)"/g

interface TestScope {
  after(work: () => Promise<void> | void): void
}

/** Logs nothing, but keeps the errors of requests, so that a failed call of a test shows its cause. */
function keepErrors(logged: Map<unknown, Error>): { level: string; stream: { write(line: string): void } } {
  const write = (line: string): void => {
    const { reqId, err } = JSON.parse(line) as { reqId?: string; err?: { message: string; stack: string } }
    if (reqId !== undefined && err) logged.set(reqId, Object.assign(new Error(err.message), { stack: err.stack }))
  }
  return { level: 'error', stream: { write } }
}

/** Starts a host for one test; after the test, the host and its database are removed. */
export async function testHost(t: TestScope, options: TestHostOptions = {}): Promise<TestHost> {
  const databaseOptions = options.database ?? (await newDatabase(t, options))
  const config = await loadConfig(undefined, { query_timeout_ms: QUERY_TIMEOUT, ...options.config })
  const configured = choosePlugins(await loadPlugins(config, process.cwd()), options.only)
  const extra = (options.plugins ?? []).map(given => {
    const [plugin, settings] = Array.isArray(given) ? (given as [HostPlugin, object]) : [given as HostPlugin, {}]
    if (!('spec' in Object(plugin)))
      throw new TypeError(`testHost got ${typeof plugin}, which definePlugin() did not make`)
    return { plugin, options: settings }
  })
  const dataDir = options.dataDir ?? join(tmpdir(), `tasuki-test-${randomUUID()}`)
  if (options.dataDir === undefined) runAfterTest(t, () => rm(dataDir, { recursive: true, force: true }))
  const logged = new Map<unknown, Error>()
  let origin = 'http://localhost:3000'
  const host = await buildHost({
    config,
    plugins: [...configured, ...extra],
    fastifyPlugins: await loadFastifyPlugins(config, process.cwd()),
    database: databaseOptions,
    secret: options.secret ?? randomBytes(32),
    dataDir,
    warmUp: false,
    baseUrl: () => options.baseUrl ?? origin,
    logger: options.logger ?? (process.env['TEST_LOG'] ? { level: process.env['TEST_LOG'] } : keepErrors(logged)),
    ...(options.metricsToken !== undefined && { metricsToken: options.metricsToken }),
    traces: options.traces ?? false,
    ...(options.now && { now: options.now }),
    ...(options.fetchPublic && { fetchPublic: options.fetchPublic }),
  })
  let closed: Promise<void> | undefined
  const close = (): Promise<void> => (closed ??= host.app.close().then(() => undefined))
  runAfterTest(t, close)
  const listen = async (): Promise<string> => {
    await host.app.listen({ host: '127.0.0.1', port: 0 })
    origin = `http://localhost:${(host.app.server.address() as AddressInfo).port}`
    return `${origin}/mcp`
  }
  const reset = async (): Promise<TestHost> => {
    await host.audit.flush('all')
    await emptyTables(host.database.write)
    host.authenticator.forget()
    return withOwner()
  }
  const withOwner = async (): Promise<TestHost> => ({
    ...(await withMethods(host, { logged, origin: () => options.baseUrl ?? origin })),
    databaseOptions,
    dataDir,
    close,
    listen,
    reset,
  })
  return withOwner()
}

function choosePlugins(
  plugins: readonly ConfiguredPlugin[],
  only: readonly string[] | undefined,
): readonly ConfiguredPlugin[] {
  if (!only) return plugins
  const byName = new Map(plugins.map(entry => [entry.plugin.spec.name, entry]))
  const closure = (name: string): string[] => [
    name,
    ...(byName.get(name)?.plugin.spec.dependsOn ?? []).flatMap(closure),
  ]
  const included = new Set(only.flatMap(closure))
  return plugins.filter(({ plugin }) => included.has(plugin.spec.name))
}

/** Starts a listening host for scripts; the caller closes it. */
export async function startHost(
  options: TestHostOptions = {},
): Promise<{ host: TestHost; url: string; token: string; close(): Promise<void> }> {
  let close: () => Promise<void> = async () => undefined
  const host = await testHost({ after: work => void (close = async () => work()) }, options)
  return { host, url: await host.listen(), token: host.token, close }
}

const cleanups = new WeakMap<TestScope, (() => Promise<void>)[]>()

/** Runs cleanups after a test in reverse order: `after` alone would drop a database before its host is closed. */
function runAfterTest(t: TestScope, work: () => Promise<void>): void {
  const registered = cleanups.get(t)
  if (registered) return void registered.push(work)
  const list = [work]
  cleanups.set(t, list)
  t.after(async () => {
    for (const cleanup of list.splice(0).toReversed()) await cleanup()
  })
}

async function newDatabase(
  t: TestScope,
  { engine = 'pglite', empty = false }: TestHostOptions,
): Promise<TestHost['databaseOptions']> {
  if (engine === 'pglite') {
    const snapshot = empty ? undefined : await templateSnapshot()
    return { engine, dataDir: null, ...(snapshot && { snapshot }) }
  }
  const database = await createTestDatabase({ empty })
  runAfterTest(t, database.drop)
  return { engine, url: database.url, replicaUrl: null }
}

async function withMethods(
  host: Host,
  { logged, origin }: { readonly logged: LoggedErrors; readonly origin: () => string },
): Promise<Omit<TestHost, 'databaseOptions' | 'dataDir' | 'close' | 'listen' | 'reset'>> {
  const { app, runner, authenticator } = host
  const write: TestHost['write'] = work => runner.write(systemScope(authenticator, 'test', app.log), work)
  const issue = async (ctx: WriteContext, token: NewToken) => {
    const { id, value } = await issueToken(ctx, token)
    return { ...makeCaller(app, token.userId, value, logged), tokenId: id }
  }
  const user: TestHost['user'] = (email, { scope = 'write', timeZone } = {}) =>
    write(async ctx => {
      const { id } = await createUser(ctx, { email, timeZone })
      return issue(ctx, { userId: id, name: `token of ${email}`, scope })
    })
  const [existing] = await findUsers({ db: host.database.read }, 'owner@example.com')
  const another = (userId: string, scope: 'read' | 'write') =>
    write(ctx => issue(ctx, { userId, name: 'another token', scope }))
  const owner = await (existing ? another(existing.id, 'write') : user('owner@example.com'))
  return {
    ...owner,
    ...host,
    write,
    user,
    reader: () => another(owner.userId, 'read'),
    credential: ({ scope = 'write', kind = 'agent', ...token }) =>
      write(ctx => issue(ctx, { userId: owner.userId, name: `${kind} token`, scope, actorKind: kind, ...token })),
    command: (name, args = {}) => runCommand(host, name, args),
    async browser(email = 'owner@example.com') {
      const { text } = await runCommand(host, 'portal setup-link', { user: email })
      const code = /#(\S+)/.exec(text!)![1]!
      const browser = newBrowser(app, origin())
      await browser.get('/setup')
      const done = await browser.send('/setup', { code, password: PASSWORD, again: PASSWORD })
      if (done.status !== 303) throw new Error(`the set-up of ${email} failed: ${done.text}`)
      return browser
    },
    async sql<T>(parts: TemplateStringsArray, ...values: unknown[]) {
      const { rows } = await sql<T>(parts, ...values).execute(host.database.write)
      return rows
    },
    async statements(call) {
      // Deferred writes of earlier calls do not belong to this call.
      await host.calls.flush()
      await host.audit.flush()
      const captured: string[] = []
      // Other hosts of the process and scheduled jobs send statements at the same time.
      const ofCall = new AsyncLocalStorage<true>()
      const note = (message: unknown): void => {
        if (ofCall.getStore()) captured.push((message as StatementMessage).sql)
      }
      // A network request does not inherit the async context of the caller.
      const enter = (): void => ofCall.enterWith(true)
      host.app.server.prependListener('request', enter)
      subscribe('tasuki.statement', note)
      try {
        await ofCall.run(true, call)
      } finally {
        host.app.server.off('request', enter)
        unsubscribe('tasuki.statement', note)
      }
      return captured.filter(text => !OF_TOKENS.test(text)).map(text => text.replaceAll(QUOTED, '$1'))
    },
  }
}
