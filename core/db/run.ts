import type { EntityManager } from '@mikro-orm/sql'
import { sql, type ControlledTransaction } from 'kysely'
import type { Principal } from '../auth/principal.ts'
import type { ClientLine, Db, Log, ReadContext, WriteContext } from '../plugin/context.ts'
import type { Job } from '../plugin/job.ts'
import type { Registry } from '../registry/types.ts'
import type { Database } from './database.ts'

/** Everything about a call that is not the database. */
export interface CallScope {
  readonly principal: Principal
  /** Name of the tool, job or command. */
  readonly name: string
  readonly requestId: string
  readonly ifUpdatedAt: string | null
  readonly clientName: string | null
  readonly signal: AbortSignal
  readonly log: Log
  readonly client: ClientLine
}

/** Opens contexts for tools, jobs and commands: the one place where transactions begin and end. */
export interface Runner {
  /** No transaction; on PostgreSQL the connection is read-only. */
  read<T>(scope: CallScope, work: (ctx: ReadContext) => Promise<T>): Promise<T>
  /** One transaction: begin, work, flush, commit, then what was put off until after the commit. */
  write<T>(scope: CallScope, work: (ctx: WriteContext) => Promise<T>): Promise<T>
}

/** Channel of the messages that make instances forget what they know of users; the payload is a JSON array of user ids. */
export const FACTS_CHANNEL = 'tasuki_facts'

export interface RunnerOptions {
  readonly database: Database
  readonly registry: Pick<Registry, 'all' | 'config'>
  readonly now: () => Date
  /** Puts a job on the queue inside the given transaction. */
  readonly enqueue: (trx: Db, job: Job, payload: unknown, options: { at?: Date; key?: string }) => Promise<void>
  /** Forgets cached facts in this process at once, without waiting for the message to come back. */
  readonly forget: (userIds: readonly string[]) => void
}

export function createRunner({ database, registry, now, enqueue, forget }: RunnerOptions): Runner {
  const readContext = (scope: CallScope, db: Db): ReadContext => ({
    db,
    actor: scope.clientName === null ? scope.principal.actor : { ...scope.principal.actor, client: scope.clientName },
    call: { name: scope.name, requestId: scope.requestId, ifUpdatedAt: scope.ifUpdatedAt },
    now: now(),
    signal: scope.signal,
    log: scope.log,
    client: scope.client,
    all: registry.all,
    config: registry.config,
    fact: fact => scope.principal.facts.get(fact.name) as never,
  })
  return {
    read: (scope, work) => work(readContext(scope, database.read)),
    async write(scope, work) {
      const trx = await database.write.startTransaction().execute()
      const after: (() => Promise<void> | void)[] = []
      const changedUsers = new Set<string>()
      let em: EntityManager | undefined
      const ctx: WriteContext = {
        ...readContext(scope, trx),
        get em() {
          return (em ??= boundManager(database, trx))
        },
        afterCommit: fn => void after.push(fn),
        enqueue: (job, payload, options = {}) => enqueue(trx, job, payload, options),
        factsChanged: userIds => userIds.forEach(id => changedUsers.add(id)),
      }
      let result
      try {
        result = await work(ctx)
        await em?.flush()
        if (changedUsers.size > 0)
          await sql`select pg_notify(${FACTS_CHANNEL}, ${JSON.stringify([...changedUsers])})`.execute(trx)
        await trx.commit().execute()
      } catch (error) {
        // A rollback that fails too (the connection is gone) must not hide why the work failed.
        await trx
          .rollback()
          .execute()
          .catch((rollbackError: unknown) => scope.log.warn({ err: rollbackError }, 'rollback failed'))
        throw error
      }
      if (changedUsers.size > 0) forget([...changedUsers])
      for (const fn of after) {
        try {
          await fn()
        } catch (error) {
          scope.log.error({ err: error, call: scope.name }, 'work put off until after the commit failed')
        }
      }
      return result
    },
  }
}

function boundManager(database: Database, trx: ControlledTransaction<unknown>): EntityManager {
  const em = database.orm.em.fork({ clear: true })
  em.setTransactionContext(trx)
  return em
}
