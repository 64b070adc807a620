import type { EntityManager } from '@mikro-orm/sql'
import { sql } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Principal } from './principal.ts'
import type { AuditRecord } from '../plugin/audit.ts'
import type { ClientChannel, Db, Deployment, Log, ReadContext, WriteContext } from '../plugin/context.ts'
import type { Job } from '../plugin/context.ts'
import type { UserAccounts, UserDirectory } from '../plugin/users.ts'
import { auditRow, insertAuditRows, type AuditRow } from './audit/audit.repository.ts'
import type { Registry } from './registry/types.ts'
import type { Database } from '../db/database.ts'
import { isConflict } from '../db/failure.ts'
import { readingManager, transactionManager } from '../db/entity-manager.ts'

/** The parts of a call that do not concern the database. */
export interface CallScope {
  readonly principal: Principal
  /** Name of the tool, job or command. */
  readonly name: string
  readonly requestId: string
  readonly ifUpdatedAt: string | null
  readonly clientName: string | null
  /** For the audit trail. */
  readonly clientVersion?: string | null
  readonly address?: string | null
  readonly signal: AbortSignal
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

/** Data that all contexts share. */
type SharedParts = Pick<RunnerOptions, 'registry' | 'deployment' | 'accounts' | 'now'>

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
  protected readonly shared: SharedParts
  constructor(scope: CallScope, db: Db, shared: SharedParts) {
    const { registry, deployment, now } = shared
    const { actor, claims } = scope.principal
    this.db = db
    this.actor = scope.clientName === null ? actor : { ...actor, client: scope.clientName }
    this.call = { name: scope.name, requestId: scope.requestId, ifUpdatedAt: scope.ifUpdatedAt }
    this.now = now()
    this.log = scope.log
    this.client = scope.client
    this.all = registry.all
    this.deployment = deployment
    this.config = registry.config
    this.claim = claim => claims.get(claim.name) as never
    this.#scope = scope
    this.shared = shared
  }
  /** A getter, because the signal is created on first access. */
  get signal(): AbortSignal {
    return this.#scope.signal
  }
  get users(): UserDirectory {
    return this.shared.accounts.directory(this)
  }
  abstract em(): Promise<EntityManager>
}

class ReadOnlyContext extends CallContext {
  readonly #database: Database
  #manager: Promise<EntityManager> | undefined
  constructor(scope: CallScope, database: Database, shared: SharedParts) {
    super(scope, database.read, shared)
    this.#database = database
  }
  em(): Promise<EntityManager> {
    return (this.#manager ??= readingManager(this.#database, this.call.name))
  }
  /** Throws if entities were changed, because a read context does not write them. */
  async finish(): Promise<void> {
    await (await this.#manager)?.flush()
  }
}

/** Side effects of a write context. */
type Effects = Pick<
  WriteContext,
  'audit' | 'autonomous' | 'afterCommit' | 'enqueue' | 'recordsChanged' | 'claimsChanged'
> & {
  readonly manager: () => Promise<EntityManager>
}

class WritableContext extends CallContext implements WriteContext {
  readonly audit: WriteContext['audit']
  readonly afterCommit: WriteContext['afterCommit']
  readonly enqueue: WriteContext['enqueue']
  readonly recordsChanged: WriteContext['recordsChanged']
  readonly claimsChanged: WriteContext['claimsChanged']
  readonly autonomous: Db
  readonly #manager: () => Promise<EntityManager>
  constructor(
    scope: CallScope,
    db: Db,
    shared: SharedParts,
    { audit, autonomous, manager, afterCommit, enqueue, recordsChanged, claimsChanged }: Effects,
  ) {
    super(scope, db, shared)
    this.audit = audit
    this.autonomous = autonomous
    this.afterCommit = afterCommit
    this.enqueue = enqueue
    this.recordsChanged = recordsChanged
    this.claimsChanged = claimsChanged
    this.#manager = manager
  }
  override get users(): UserAccounts {
    return this.shared.accounts.accounts(this)
  }
  em(): Promise<EntityManager> {
    return this.#manager()
  }
}

export function createRunner(options: RunnerOptions): Runner {
  const { database, enqueue, forget, publish } = options
  const shared: SharedParts = options
  /** Creates a write context on a connection, with the steps that follow the work. */
  const unitOfWork = (scope: CallScope, db: Db, manager: () => Promise<EntityManager>) => {
    const after: (() => Promise<void> | void)[] = []
    const changedUsers = new Set<string>()
    const changedRecords = new Set<string>()
    const audited: AuditRow[] = []
    let em: Promise<EntityManager> | undefined
    const audit = (record: AuditRecord): void => {
      const { clientVersion = null, address = null, requestId } = scope
      const facts = { at: ctx.now, actor: ctx.actor, clientVersion, address, requestId }
      audited.push(auditRow(shared.registry.auditActions, record, facts))
    }
    const ctx = new WritableContext(scope, db, shared, {
      audit,
      autonomous: database.autonomous ?? db,
      manager: () => (em ??= manager()),
      afterCommit: fn => void after.push(fn),
      enqueue: (job, payload, options = {}) => enqueue(db, job, payload, options),
      recordsChanged: keys => keys.forEach(key => changedRecords.add(key)),
      claimsChanged: userIds => userIds.forEach(id => changedUsers.add(id)),
    })
    return {
      ctx,
      /** Runs inside the transaction. */
      async finish(): Promise<void> {
        await (await em)?.flush()
        await insertAuditRows(db, audited)
        if (changedUsers.size > 0)
          await sql`select pg_notify(${CLAIMS_CHANNEL}, ${formatClaimsMessage(changedUsers)})`.execute(db)
      },
      /** Runs after the commit and never throws. */
      async settle(): Promise<void> {
        if (changedUsers.size > 0) forget([...changedUsers])
        if (changedRecords.size > 0) publish(changedRecords)
        for (const fn of after) {
          try {
            await fn()
          } catch (error) {
            scope.log.error({ err: error, call: scope.name }, 'deferred work failed after the commit')
          }
        }
      },
    }
  }
  return {
    async read(scope, work) {
      const ctx = new ReadOnlyContext(scope, database, shared)
      const result = await work(ctx)
      await ctx.finish()
      return result
    },
    async write(scope, work) {
      let unit: ReturnType<typeof unitOfWork> | undefined
      let failed: { readonly error: unknown } | undefined
      // Not startTransaction(): if its rollback fails, it never releases the connection, and the pool loses it permanently.
      const result = await database.write
        .transaction()
        .execute(async trx => {
          unit = unitOfWork(scope, trx, () => transactionManager(database, trx))
          try {
            const done = await work(unit.ctx)
            await unit.finish()
            return done
          } catch (error) {
            failed = { error }
            throw error
          }
        })
        .catch((error: unknown) => {
          // A failed rollback (on a lost connection) must not hide the original error.
          if (failed && failed.error !== error) scope.log.warn({ err: error }, 'rollback failed')
          throw failed ? failed.error : error
        })
      await unit!.settle()
      return result
    },
    async writeWithoutTransaction(scope, work) {
      const unit = unitOfWork(scope, database.write, async () => (await database.orm()).em.fork({ clear: true }))
      const result = await work(unit.ctx)
      await unit.finish()
      await unit.settle()
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
