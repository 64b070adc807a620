import type { EntityManager } from '@mikro-orm/sql'
import type { TObject } from '@sinclair/typebox'
import type { Kysely } from 'kysely'
import type { Actor } from './actor.ts'
import type { AuditRecord } from './audit.ts'
import type { ConfigKey } from './config.ts'
import type { PrincipalClaim } from './claim.ts'
import type { All } from './point.ts'
import type { Sealer } from './sealer.ts'
import type { Tables } from './tables.ts'
import type { UserAccounts, UserDirectory } from './users.ts'

/**
 * Runs statements: `ctx.db.selectFrom('labels.labels')…execute()`, or `` sql<Result>`select …`.execute(ctx.db) `` for reads that are clearer
 * so. Tables are named `schema.table` and typed by the entities of all plugins.
 */
export type Db = Kysely<Tables>

export type { Actor, ActorKind } from './actor.ts'

/** Facts about the call itself. */
export interface CallInfo {
  /** Name of the tool, job or command. */
  readonly name: string
  readonly requestId: string
  /** `_meta.ifUpdatedAt`: refuse the write if the record changed after this instant (ISO 8601). */
  readonly ifUpdatedAt: string | null
}

export interface Log {
  debug(data: object, message?: string): void
  info(data: object, message?: string): void
  warn(data: object, message?: string): void
  error(data: object, message?: string): void
}

/** The conversation with the client while a call runs. All of it is optional for the client. */
export interface ClientChannel {
  /** Capabilities that the client declared, as the protocol names them; of a session `elicitation`, `sampling` and `roots` alone. */
  readonly capabilities: Readonly<Record<string, unknown>>
  /** Tells how far the call is; does nothing when the client did not ask for progress. */
  progress(done: number, total?: number, message?: string): void
  /** Sends a log line to the client; does nothing when it did not ask for that level. */
  log(level: LogLevel, data: unknown): void
  /**
   * Asks the client for input (elicitation, sampling, roots) and returns its answers by key.
   * On a stateless connection the call ends here and runs again from its start with the answers, so ask before any effect.
   * @throws when the client lacks the capability.
   */
  ask(requests: Readonly<Record<string, ClientRequest>>, state?: unknown): Promise<ClientAnswers>
}
export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency'
export interface ClientRequest {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list'
  readonly params?: Readonly<Record<string, unknown>>
}
export interface ClientAnswers {
  /** Answer objects of the protocol, by the key of the request. */
  readonly answers: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** The `state` given when the question was asked, verified; undefined when none came back. */
  readonly state: unknown
}

/** What a plugin may know of the deployment that it runs in; one object per host. */
export interface Deployment {
  /** Absolute path of the folder for files; may not exist yet. Instances share it only if the operator sees to that. */
  readonly dataDir: string
  /** Public origin without a trailing slash. */
  baseUrl(): string
  /** Key for one purpose of the plugin, 32 bytes, the same on all instances; begin the purpose with the plugin's name. */
  key(purpose: string): Buffer
  /** Encrypts with the key of a purpose. */
  sealer(purpose: string): Sealer
}

/** What a read tool gets. On PostgreSQL its connection refuses writes. */
export interface ReadContext {
  readonly db: Db
  readonly actor: Actor
  readonly call: CallInfo
  readonly now: Date
  readonly signal: AbortSignal
  readonly log: Log
  readonly client: ClientChannel
  readonly all: All
  readonly deployment: Deployment
  readonly users: UserDirectory
  /**
   * An entity manager of MikroORM, always the same one, for those who prefer units of work to statements. One that reads does not flush:
   * entities that changed are an error.
   */
  em(): Promise<EntityManager>
  config<T>(key: ConfigKey<T>): T
  /** A claim loaded with the credential; see `defineClaim`. */
  claim<T>(claim: PrincipalClaim<T>): T
}

/** What a write tool gets: one transaction, opened before `run`, flushed once and committed after it. */
export interface WriteContext extends ReadContext {
  readonly users: UserAccounts
  /**
   * Runs statements outside the transaction: each commits at once, so that a counter which many callers need stays locked for one statement
   * instead of until the commit. What it wrote stays when the transaction is rolled back. It must not touch rows that the transaction has
   * locked. The embedded database has one session, where this is `db`.
   */
  readonly autonomous: Db
  /** The entity manager of the transaction, always the same one; flushed once by the host before the commit. */
  em(): Promise<EntityManager>
  /** Adds a record to the audit trail, in this transaction: one that is rolled back leaves none. */
  audit(record: AuditRecord): void
  /** Runs after COMMIT; a throw is logged, not returned. */
  afterCommit(fn: () => Promise<void> | void): void
  /** Queues a job in this transaction: it runs only if the write is committed. Of jobs that wait with one key, the first is kept. */
  enqueue<P>(job: Job<P>, payload: P, options?: { readonly at?: Date; readonly key?: string }): Promise<void>
  /**
   * Tells clients that subscribed, on every instance, that records may have changed, once this transaction is committed. Costs nothing
   * while nobody listens. A key is at most 60 bytes; `watch` of a resource names the same.
   */
  recordsChanged(keys: readonly string[]): void
  /** Makes every instance load the claims of these users anew, once this transaction is committed. */
  claimsChanged(userIds: readonly string[]): void
}

/** Background work on the queue. Several instances may run it; each payload is worked once, and a few times more when that fails. */
export interface Job<P = unknown> {
  /** `<plugin>.<name>`. */
  readonly name: string
  /** Five-field cron expression in UTC; the payload of a scheduled run is `{}`. */
  readonly schedule?: string
  readonly payload: TObject
  /** `false` runs without a transaction (for statements that refuse one); default true. */
  readonly transaction?: boolean
  /** Id of the user with whose rights it works; it does not run where they are gone or disabled. Left out = as the system. */
  forUser?(payload: P): string
  run(ctx: WriteContext, payload: P): Promise<void>
}
