import type { EntityManager, MikroORM } from '@mikro-orm/sql'
import type { Db } from '../plugin/context.ts'
import type { EmbeddedDatabase } from './pglite/client.ts'

/** Hears messages that transactions send with `pg_notify`, on every instance. */
export interface Listener {
  subscribe(channel: string, onMessage: (payload: string) => void): Promise<void>
  /** Tells at once, and then on every change, whether messages arrive; while they do not, nothing may be cached. */
  onState(notify: (up: boolean) => void): void
  close(): Promise<void>
}

/** How busy a database is, as this process sees it. */
export interface DatabaseLoad {
  readonly pools: readonly {
    readonly pool: string
    readonly busy: number
    readonly idle: number
    readonly waiting: number
  }[]
  /** Connections that were lost, or restarts of the embedded engine, since the start. */
  readonly losses: number
}

/** The one door to both engines. */
export interface Database {
  readonly engine: 'pglite' | 'postgres'
  /** Loaded and made when it is first asked for. */
  orm(): Promise<MikroORM & { readonly em: EntityManager }>
  /** For reads outside a transaction; on PostgreSQL its connections refuse writes. */
  readonly read: Db
  readonly write: Db
  /** For statements that commit outside a transaction; null on the embedded engine, whose one session the transaction has. */
  readonly autonomous: Db | null
  readonly listener: Listener
  /** The embedded engine itself; null on PostgreSQL. */
  readonly embedded: EmbeddedDatabase | null
  /** Lifts the limits of statements of this process while `work` runs: for migrations. */
  withoutLimit<T>(work: () => Promise<T>): Promise<T>
  readonly load: () => DatabaseLoad
  /**
   * Runs `work` on the database as it is at one instant, in one transaction, while others go on. The embedded one has one session: it is
   * copied first, and others wait for that long.
   */
  snapshot<T>(work: (db: Db) => Promise<T>): Promise<T>
  /** Null on the embedded engine. */
  readonly url: string | null
  close(): Promise<void>
}
