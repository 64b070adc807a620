import type { Driver, TransactionSettings } from 'kysely'
import type { Pool, PoolClient } from 'pg'
import { SavepointDriver } from '../dialect.ts'
import type { Deadline } from './deadline.ts'
import { Session } from './session.ts'

/** Kysely driver on a connection pool. */
export class PoolDriver extends SavepointDriver<Session> implements Driver {
  readonly #pool: Pool
  readonly #sessions = new WeakMap<PoolClient, Session>()
  readonly #deadline: Deadline
  constructor(pool: Pool, deadline: Deadline) {
    super()
    this.#pool = pool
    this.#deadline = deadline
  }
  /** Discards idle connections that may be dead, because each would cost its caller the whole timeout. */
  async acquireConnection(): Promise<Session> {
    for (;;) {
      const { databaseVariable } = this.#deadline
      // Whatever the server refuses a connection for, such as a changed password: the call did nothing, and may be sent again.
      const refused = { databaseVariable, retryable: true }
      const client = await this.#pool.connect().catch((error: Error) => Promise.reject(Object.assign(error, refused)))
      let session = this.#sessions.get(client)
      if (!session) this.#sessions.set(client, (session = new Session(client, this.#deadline)))
      if (!session.suspect) return session
      session.release()
    }
  }
  async beginTransaction(session: Session, { isolationLevel, accessMode }: TransactionSettings): Promise<void> {
    const modes = [
      ...(isolationLevel ? [`isolation level ${isolationLevel}`] : []),
      ...(accessMode ? [accessMode] : []),
    ]
    session.begin(['begin', ...modes].join(' '))
  }
  async commitTransaction(session: Session): Promise<void> {
    await session.commit()
  }
  async rollbackTransaction(session: Session): Promise<void> {
    await session.rollback()
  }
  async releaseConnection(session: Session): Promise<void> {
    session.release()
  }
  async destroy(): Promise<void> {
    await this.#pool.end()
  }
}
