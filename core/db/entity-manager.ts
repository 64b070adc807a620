import type { EntityManager, EventSubscriber, FlushEventArgs } from '@mikro-orm/sql'
import type { Transaction } from 'kysely'
import type { Tables } from '../plugin/tables.ts'
import type { Database } from './database.ts'

/** Creates an entity manager that runs inside a transaction. */
export async function transactionManager(database: Database, transaction: Transaction<Tables>): Promise<EntityManager> {
  const em = (await database.orm()).em.fork({ clear: true })
  em.setTransactionContext(transaction)
  return em
}

/** Creates a read-only entity manager. @param call name of the tool, job or command, for the error of a flush with pending changes */
export async function readingManager(database: Database, call: string): Promise<EntityManager> {
  const em = (await database.orm()).em.fork({ clear: true, freshEventManager: true })
  em.getEventManager().registerSubscriber(refuseWrites(call))
  // `read` is not a transaction. Setting it as the context makes the ORM use the read-only connections.
  em.setTransactionContext(database.read)
  return em
}

function refuseWrites(call: string): EventSubscriber {
  const refuse = (what: string): never => {
    throw new Error(
      `${call} only reads, and its entity manager ${what}. Change entities in a tool of class W or WD, or in a job; change plain objects here.`,
    )
  }
  return {
    onFlush({ uow }: FlushEventArgs) {
      const changes = uow.getChangeSets().map(({ type, meta }) => `${type} ${meta.className}`)
      const collections = uow.getCollectionUpdates().map(({ property }) => `update the collection ${property.name}`)
      const pending = new Set([...changes, ...collections])
      if (pending.size > 0) refuse(`would ${[...pending].join(', ')}`)
    },
    beforeTransactionStart: () => refuse('would begin a transaction'),
  }
}
