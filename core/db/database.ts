import type { EntityManager, MikroORM } from '@mikro-orm/sql'
import type { ServiceState } from '../plugin/administration.ts'
import type { Db } from '../plugin/context.ts'
import type { EmbeddedDatabase } from './pglite/client.ts'
import type { Captured, ReadRows } from './snapshot.repository.ts'

/** Receives messages that transactions on any instance send with `pg_notify`. */
export interface Listener {
  subscribe(channel: string, onMessage: (payload: string) => void): Promise<void>
  /** Calls back at once and on every change, with whether messages arrive. While they do not, callers must not cache. */
  onState(notify: (up: boolean) => void): void
  close(): Promise<void>
}

/** Load of the connection pools of this process. */
export interface DatabaseLoad {
  readonly pools: ServiceState['pools']
  /** Lost connections, or restarts of the embedded engine, since the start. */
  readonly losses: number
}

/** Access to the database, with the same interface for both engines. */
export interface Database {
  readonly engine: 'pglite' | 'postgres'
  /** The ORM, loaded on first use. */
  orm(): Promise<MikroORM & { readonly em: EntityManager }>
  /** For reads outside a transaction. On PostgreSQL, its connections refuse writes. */
  readonly read: Db
  readonly write: Db
  /** For statements that commit independently of the caller's transaction; null on the embedded engine, which has only one session. */
  readonly autonomous: Db | null
  readonly listener: Listener
  /** The embedded engine; null on PostgreSQL. */
  readonly embedded: EmbeddedDatabase | null
  /** Lifts the statement timeout of this process while `work` runs, for migrations. */
  withoutLimit<T>(work: () => Promise<T>): Promise<T>
  readonly load: () => DatabaseLoad
  /**
   * Reads a consistent snapshot: `capture` reads in one transaction and names tables, whose rows `work` then reads as they were in it.
   * PostgreSQL serves other callers concurrently. The embedded engine has one session: other callers wait for `capture` and for a copy of
   * the rows in temporary tables.
   */
  snapshot<C extends Captured, T>(
    capture: (db: Db) => Promise<C>,
    work: (captured: C, rows: ReadRows) => Promise<T>,
  ): Promise<T>
  /**
   * Copies the files of the embedded database to a new folder, as they are when `capture` has read; others wait for that and for the files
   * that changed meanwhile. Null on PostgreSQL, and in memory.
   */
  readonly copyTo: (<T>(folder: string, capture: (db: Db) => Promise<T>) => Promise<T>) | null
  /** Connection URL; null on the embedded engine. */
  readonly url: string | null
  close(): Promise<void>
}
