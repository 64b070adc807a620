import type { EntityManager } from '@mikro-orm/sql'
import { sql } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Principal } from './principal.ts'
import type { AuditRecord } from '../plugin/audit.ts'
import type { ClientChannel, Db, Deployment, Log, ReadContext, WriteContext, Job } from '../plugin/context.ts'
import type { UserAccounts, UserDirectory } from '../plugin/users.ts'
import { auditRow, insertAuditRows, type AuditRow } from './audit/audit.repository.ts'
import type { Registry } from './registry/types.ts'
import type { Database } from '../db/database.ts'
import { failureOfWrite, isConflict } from '../db/failure.ts'
import { readingManager, transactionManager } from '../db/entity-manager.ts'

/** The parts of a call that do not concern the database. */
export interface CallScope {
  readonly principal: Principal
  /** Name of the tool, job or command. */
  readonly name: string
  readonly requestId: string
  readonly ifUpdatedAt: string | null
  readonly nulls?: readonly string[]
  readonly clientName: string | null
  /** For the audit trail. */
  readonly clientVersion?: string | null
  /** The other end of the connection; its address is derived on first access. */
  readonly peer?: { readonly ip: string } | null
  /** Its signal is created on first access. */
  readonly cancellation: { readonly signal: AbortSignal }
  readonly log: Log
  readonly client: ClientChannel
}

/** Opens contexts for tools, jobs and commands. Transactions begin and end only here. */
export interface Runner {
  /** Runs work without a transaction; on PostgreSQL the connection is read-only. */
  read<T>(scope: CallScope, work: (ctx: ReadContext) => Promise<T>): Promise<T>
  /** Runs work in one transaction: begin, work, flush, commit, then the `afterCommit` callbacks. */
  write<T>(scope: CallScope, work: (ctx: WriteContext) => Promise<T>): Promise<T>
  /** Runs work without a transaction but on a writing connection, for statements that cannot run in a transaction. */
  writeWithoutTransaction<T>(scope: CallScope, work: (ctx: WriteContext) => Promise<T>): Promise<T>
}

/** Channel of the messages that invalidate cached users on all instances; see `formatClaimsMessage`. */
export const CLAIMS_CHANNEL = 'tasuki_claims'
/** A message is limited to 8000 bytes; an id takes 39. */
const MAX_USERS_PER_MESSAGE = 200

/** Builds the payload: ids as a JSON array, or null for all users. */
function formatClaimsMessage(userIds: ReadonlySet<string>): string {
  return JSON.stringify(userIds.size > MAX_USERS_PER_MESSAGE ? null : [...userIds])
}

/** Parses a payload; undefined = all users. */
export function readClaimsMessage(payload: string): readonly string[] | undefined {
  return (JSON.parse(payload) as readonly string[] | null) ?? undefined
}

/** Creates the `users` of contexts. */
export interface ContextAccounts {
  directory(ctx: ReadContext): UserDirectory
  accounts(ctx: WriteContext): UserAccounts
}

export interface RunnerOptions {
  readonly database: Database
  readonly registry: Pick<Registry, 'all' | 'config' | 'auditActions'>
  readonly deployment: Deployment
  readonly accounts: ContextAccounts
  readonly now: () => Date
  /** Enqueues a job in the given transaction. */
  readonly enqueue: (trx: Db, job: Job, payload: unknown, options: { at?: Date; key?: string }) => Promise<void>
  /** Removes users from the cache of this process at once, before the message arrives. */
  readonly forget: (userIds: readonly string[]) => void
  /** Publishes the changed records of a committed transaction. */
  readonly publish: (keys: Iterable<string>) => void
}

/** A class, because one is created per call: each object literal with an accessor gets its own hidden class, which is slow. */
abstract class CallContext implements ReadContext {
  readonly db: Db
  readonly actor: ReadContext['actor']
  readonly call: ReadContext['call']
  readonly now: Date
  readonly log: Log
  readonly client: ClientChannel
  readonly all: ReadContext['all']
  readonly deployment: Deployment
  readonly config: ReadContext['config']
  readonly claim: ReadContext['claim']
  readonly #scope: CallScope
  protected readonly options: RunnerOptions
  constructor(scope: CallScope, db: Db, options: RunnerOptions) {
    const { registry, deployment, now } = options
    const { actor, claims } = scope.principal
    this.db = db
    this.actor = scope.clientName === null ? actor : { ...actor, client: scope.clientName }
    this.call = { name: scope.name, requestId: scope.requestId, ifUpdatedAt: scope.ifUpdatedAt, nulls: scope.nulls }
    this.now = now()
    this.log = scope.log
    this.client = scope.client
    this.all = registry.all
    this.deployment = deployment
    this.config = registry.config
    this.claim = claim => claims.get(claim.name) as never
    this.#scope = scope
    this.options = options
  }
  get signal(): AbortSignal {
    return this.#scope.cancellation.signal
  }
  get users(): UserDirectory {
    return this.options.accounts.directory(this)
  }
  abstract em(): Promise<EntityManager>
}

class ReadOnlyContext extends CallContext {
  #manager: Promise<EntityManager> | undefined
  constructor(scope: CallScope, options: RunnerOptions) {
    super(scope, options.database.read, options)
  }
  em(): Promise<EntityManager> {
    return (this.#manager ??= readingManager(this.options.database, this.call.name))
  }
  /** Throws if entities were changed, because a read context does not write them. */
  async finish(): Promise<void> {
    await (await this.#manager)?.flush()
  }
}

/** The context of one write, with what follows the work. Its functions are fields, so that plugins may use them without the context. */
class WritableContext extends CallContext implements WriteContext {
  readonly autonomous: Db
  readonly #scope: CallScope
  readonly #openManager: () => Promise<EntityManager>
  #manager: Promise<EntityManager> | undefined
  readonly #after: (() => Promise<void> | void)[] = []
  readonly #changedUsers = new Set<string>()
  readonly #changedRecords = new Set<string>()
  readonly #audited: AuditRow[] = []
  constructor(scope: CallScope, db: Db, options: RunnerOptions, openManager: () => Promise<EntityManager>) {
    super(scope, db, options)
    this.autonomous = options.database.autonomous ?? db
    this.#scope = scope
    this.#openManager = openManager
  }
  override get users(): UserAccounts {
    return this.options.accounts.accounts(this)
  }
  em(): Promise<EntityManager> {
    return (this.#manager ??= this.#openManager())
  }
  readonly audit = (record: AuditRecord): void => {
    const { clientVersion = null, peer, requestId } = this.#scope
    const facts = { at: this.now, actor: this.actor, clientVersion, address: peer?.ip ?? null, requestId }
    this.#audited.push(auditRow(this.options.registry.auditActions, record, facts))
  }
  readonly afterCommit: WriteContext['afterCommit'] = fn => void this.#after.push(fn)
  readonly enqueue: WriteContext['enqueue'] = (job, payload, options = {}) =>
    this.options.enqueue(this.db, job, payload, options)
  readonly recordsChanged: WriteContext['recordsChanged'] = keys => keys.forEach(key => this.#changedRecords.add(key))
  readonly claimsChanged: WriteContext['claimsChanged'] = ids => ids.forEach(id => this.#changedUsers.add(id))
  /** Runs inside the transaction. */
  async finish(): Promise<void> {
    await (await this.#manager)?.flush()
    await insertAuditRows(this.db, this.#audited)
    if (this.#changedUsers.size > 0)
      await sql`select pg_notify(${CLAIMS_CHANNEL}, ${formatClaimsMessage(this.#changedUsers)})`.execute(this.db)
  }
  /** Runs after the commit and never throws. */
  async settle(): Promise<void> {
    const { forget, publish } = this.options
    if (this.#changedUsers.size > 0) forget([...this.#changedUsers])
    if (this.#changedRecords.size > 0) publish(this.#changedRecords)
    for (const fn of this.#after) {
      try {
        await fn()
      } catch (error) {
        this.log.error({ err: error, call: this.call.name }, 'deferred work failed after the commit')
      }
    }
  }
}

export function createRunner(options: RunnerOptions): Runner {
  const { database } = options
  return {
    async read(scope, work) {
      const ctx = new ReadOnlyContext(scope, options)
      const result = await work(ctx)
      await ctx.finish()
      return result
    },
    async write(scope, work) {
      let ctx: WritableContext | undefined
      let failed: { readonly error: unknown } | undefined
      // Not startTransaction(): if its rollback fails, it never releases the connection, and the pool loses it permanently.
      const result = await database.write
        .transaction()
        .execute(async trx => {
          ctx = new WritableContext(scope, trx, options, () => transactionManager(database, trx))
          try {
            const done = await work(ctx)
            await ctx.finish()
            return done
          } catch (error) {
            failed = { error }
            throw error
          }
        })
        .catch((error: unknown) => {
          // A failed rollback (on a lost connection) must not hide the original error.
          if (failed && failed.error !== error) scope.log.warn({ err: error }, 'rollback failed')
          throw failureOfWrite(failed ? failed.error : error)
        })
      await ctx!.settle()
      return result
    },
    async writeWithoutTransaction(scope, work) {
      const manager = async () => (await database.orm()).em.fork({ clear: true })
      const ctx = new WritableContext(scope, database.write, options, manager)
      const result = await work(ctx)
      await ctx.finish()
      await ctx.settle()
      return result
    },
  }
}

const MAX_ATTEMPTS = 5
/** Milliseconds before the second attempt, doubled for each further one, with jitter so that two transactions do not collide again. */
const FIRST_BACKOFF_MS = 8

/**
 * Runs a transaction and retries it on conflicts: after a deadlock, or if a concurrent transaction deleted or inserted a row that it relies
 * on. The retry sees the new state and can report it.
 * @param before callback before each retry
 */
export async function retryRaces<T>(transaction: () => Promise<T>, before?: () => void): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction()
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !isConflict(error)) throw error
      await sleep(FIRST_BACKOFF_MS * 2 ** (attempt - 1) * (0.5 + Math.random()))
      before?.()
    }
  }
}
