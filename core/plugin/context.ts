import type { EntityManager } from '@mikro-orm/sql'
import type { TObject } from '@sinclair/typebox'
import type { Kysely } from 'kysely'
import type { Actor } from './actor.ts'
import type { AuditRecord } from './audit.ts'
import type { ConfigKey } from './config.ts'
import type { PrincipalClaim } from './claim.ts'
import type { All } from './point.ts'
import type { PublicRequest, PublicResponse } from './public-request.ts'
import type { Sealer } from './sealer.ts'
import type { Tables } from './tables.ts'
import type { UserAccounts, UserDirectory } from './users.ts'

/**
 * Runs statements: `ctx.db.selectFrom('labels.labels')…execute()`, or `` sql<Result>`select …`.execute(ctx.db) `` for complex reads. Tables
 * are named `schema.table` and typed by the entities of all plugins.
 */
export type Db = Kysely<Tables>

export type { Actor, ActorKind } from './actor.ts'

/** Facts about the call. */
export interface CallInfo {
  /** Name of the tool, job or command. */
  readonly name: string
  readonly requestId: string
  /** `_meta.ifUpdatedAt`: reject the write if the record changed after this instant (ISO 8601). */
  readonly ifUpdatedAt: string | null
  /** Arguments that count as left out because they were null, which means nothing for them. */
  readonly nulls?: readonly string[] | undefined
}

export interface Log {
  debug(data: object, message?: string): void
  info(data: object, message?: string): void
  warn(data: object, message?: string): void
  error(data: object, message?: string): void
}

/** Communication with the client during a call. Clients may not support all of it. */
export interface ClientChannel {
  /** Capabilities that the client declared, named as in the protocol; for a session only `elicitation`, `sampling` and `roots`. */
  readonly capabilities: Readonly<Record<string, unknown>>
  /** Reports progress; does nothing if the client did not request it. */
  progress(done: number, total?: number, message?: string): void
  /** Sends a log message to the client; does nothing if the client did not request that level. */
  log(level: LogLevel, data: unknown): void
  /**
   * Asks the client for input (elicitation, sampling, roots) and returns its answers by key.
   * On a stateless connection the call ends here and runs again from the start with the answers, so ask before any side effect.
   * @throws if the client lacks the capability
   */
  ask(requests: Readonly<Record<string, ClientRequest>>, state?: unknown): Promise<ClientAnswers>
  /**
   * Refuses a call whose user agreed to another effect than this one: `run` calls it with the text of `confirm` if an id may meanwhile name
   * something else.
   * @throws ToolError confirmation_invalid
   */
  requireAgreed(effect: string): void
}
export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency'
export interface ClientRequest {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list'
  readonly params?: Readonly<Record<string, unknown>>
}
export interface ClientAnswers {
  /** Answer objects of the protocol, by request key. */
  readonly answers: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** The verified `state` of the question; undefined if there was none. */
  readonly state: unknown
}

/** Information about the deployment for plugins; one object per host. */
export interface Deployment {
  /** Absolute path of the data folder; may not exist yet. It is shared between instances only if the operator arranges that. */
  readonly dataDir: string
  /** Public origin without a trailing slash. */
  baseUrl(): string
  /** Derives a 32-byte key for one purpose, the same on all instances; start the purpose with the plugin's name. */
  key(purpose: string): Buffer
  /** Creates a sealer with the key of a purpose. */
  sealer(purpose: string): Sealer
  /**
   * Sends a request to an address that a user chose, such as a webhook, which must not reach the operator's network: only https on its own
   * port and names with public addresses alone; redirects are not followed. Any status is an answer.
   * @throws Error with the reason
   */
  fetchPublic(address: string, request: PublicRequest): Promise<PublicResponse>
}

/** Context of a read tool. On PostgreSQL its connection refuses writes. */
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
   * Returns the MikroORM entity manager of the call, for plugins that prefer a unit of work to statements. In a read context, changed
   * entities are an error.
   */
  em(): Promise<EntityManager>
  config<T>(key: ConfigKey<T>): T
  /** Returns a claim loaded with the credential; see `defineClaim`. */
  claim<T>(claim: PrincipalClaim<T>): T
}

/** Context of a write tool. Its transaction is opened before `run`, then flushed and committed. */
export interface WriteContext extends ReadContext {
  readonly users: UserAccounts
  /**
   * Runs statements outside the transaction. Each commits at once, so that a counter needed by many callers is locked for one statement
   * only. Its writes survive a rollback of the transaction. It must not touch rows that the transaction has locked. On the embedded
   * database, which has one session, it is the same as `db`.
   */
  readonly autonomous: Db
  /** Returns the entity manager of the transaction; the host flushes it before the commit. */
  em(): Promise<EntityManager>
  /** Adds a record to the audit trail, in this transaction. */
  audit(record: AuditRecord): void
  /** Runs a callback after the commit; an error is logged, not thrown. */
  afterCommit(fn: () => Promise<void> | void): void
  /** Enqueues a job in this transaction, so it runs only after a commit. The queue keeps the first of waiting jobs with the same key. */
  enqueue<P>(job: Job<P>, payload: P, options?: { readonly at?: Date; readonly key?: string }): Promise<void>
  /**
   * After the commit, notifies subscribed clients on all instances that records may have changed. Without subscribers it costs nothing. A
   * key has at most 60 bytes; `watch` of a resource returns the same keys.
   */
  recordsChanged(keys: readonly string[]): void
  /** After the commit, makes all instances reload the claims of these users. */
  claimsChanged(userIds: readonly string[]): void
}

/** Background job. Several instances may run the queue; each payload is processed once, and retried a few times on failure. */
export interface Job<P = unknown> {
  /** `<plugin>.<name>`. */
  readonly name: string
  /** Five-field cron expression in UTC; scheduled runs have the payload `{}`. */
  readonly schedule?: string
  /** Payload of an additional run whenever an instance starts to run jobs. */
  readonly atStart?: object
  readonly payload: TObject
  /** `false` runs without a transaction, for statements that cannot run in one; default true. */
  readonly transaction?: boolean
  /** Returns the id of the user whose permissions the job uses; it does not run if the user is deleted or disabled. Default: the system. */
  forUser?(payload: P): string
  run(ctx: WriteContext, payload: P): Promise<void>
}
