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

/** Everything about a call that is not the database. */
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

/** Opens contexts for tools, jobs and commands: the one place where transactions begin and end. */
export interface Runner {
  /** No transaction; on PostgreSQL the connection is read-only. */
  read<T>(scope: CallScope, work: (ctx: ReadContext) => Promise<T>): Promise<T>
  /** One transaction: begin, work, flush, commit, then what was put off until after the commit. */
  write<T>(scope: CallScope, work: (ctx: WriteContext) => Promise<T>): Promise<T>
  /** No transaction, but a connection that writes: for statements that refuse to run in one. */
  writeWithoutTransaction<T>(scope: CallScope, work: (ctx: WriteContext) => Promise<T>): Promise<T>
}

/** Channel of the messages that make instances forget what they know of users; see `claimsMessage`. */
export const CLAIMS_CHANNEL = 'tasuki_claims'
/** A message has at most 8000 bytes; an id takes 39 of them. */
const MOST_USERS_TOLD = 200

/** The message's payload: ids as a JSON array, or null for everybody. */
function claimsMessage(userIds: ReadonlySet<string>): string {
  return JSON.stringify(userIds.size > MOST_USERS_TOLD ? null : [...userIds])
}

/** The users whom a message is about; undefined = everybody. */
export function readClaimsMessage(payload: string): readonly string[] | undefined {
  return (JSON.parse(payload) as readonly string[] | null) ?? undefined
}

/** Makes what contexts offer as `users`. */
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
  /** Puts a job on the queue inside the given transaction. */
  readonly enqueue: (trx: Db, job: Job, payload: unknown, options: { at?: Date; key?: string }) => Promise<void>
  /** Forgets cached claims in this process at once, without waiting for the message to come back. */
  readonly forget: (userIds: readonly string[]) => void
  /** Passes on which records a committed transaction changed. */
  readonly publish: (keys: Iterable<string>) => void
}

/** What contexts of all calls share. */
type Shared = Pick<RunnerOptions, 'registry' | 'deployment' | 'accounts' | 'now'>

/** A class, as every call makes one: an accessor in an object literal would give each a shape of its own, which is slow. */
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
  protected readonly shared: Shared
  constructor(scope: CallScope, db: Db, shared: Shared) {
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
  /** Made only for those who ask for it. */
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
  constructor(scope: CallScope, database: Database, shared: Shared) {
    super(scope, database.read, shared)
    this.#database = database
  }
  em(): Promise<EntityManager> {
    return (this.#manager ??= readingManager(this.#database, this.call.name))
  }
  /** Refuses changes of entities that nothing would write. */
  async finish(): Promise<void> {
    await (await this.#manager)?.flush()
  }
}

/** What a write context leads to. */
type Effects = Pick<
  WriteContext,
  'audit' | 'autonomous' | 'afterCommit' | 'enqueue' | 'recordsChanged' | 'claimsChanged'
> & {
  readonly manager: () => Promise<EntityManager>
}

class UnitContext extends CallContext implements WriteContext {
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
    shared: Shared,
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
  const shared: Shared = options
  /** A write context on a connection, with what has to follow the work. */
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
    const ctx = new UnitContext(scope, db, shared, {
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
      /** Belongs to the transaction. */
      async finish(): Promise<void> {
        await (await em)?.flush()
        await insertAuditRows(db, audited)
        if (changedUsers.size > 0)
          await sql`select pg_notify(${CLAIMS_CHANNEL}, ${claimsMessage(changedUsers)})`.execute(db)
      },
      /** Once the work is there for everybody; can no longer fail. */
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
      // Not startTransaction(): its rollback keeps the connection when it fails, and the pool would be one short for good.
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
          // A rollback that fails too (the connection is gone) must not hide why the work failed.
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

const MOST_ATTEMPTS = 5
/** Milliseconds before the second attempt, doubled with each further one; two that collided must not collide again. */
const FIRST_PAUSE_MS = 8

/**
 * Runs a transaction, and runs it again when another one got in its way: after a deadlock, or where a row that it relies on was taken away
 * or added meanwhile, it then sees what became of it and can say so.
 * @param before what has to be done before it is run again
 */
export async function retryRaces<T>(transaction: () => Promise<T>, before?: () => void): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction()
    } catch (error) {
      if (attempt === MOST_ATTEMPTS || !isConflict(error)) throw error
      await sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + Math.random()))
      before?.()
    }
  }
}
