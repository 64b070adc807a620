import type { Driver, TransactionSettings } from 'kysely'
import { escapeIdentifier, type Pool, type PoolClient } from 'pg'
import { Session } from './session.ts'

/** Kysely on a pool of connections. */
export class PoolDriver implements Driver {
  readonly #pool: Pool
  readonly #sessions = new WeakMap<PoolClient, Session>()
  constructor(pool: Pool) {
    this.#pool = pool
  }
  async init(): Promise<void> {}
  async acquireConnection(): Promise<Session> {
    const client = await this.#pool.connect()
    let session = this.#sessions.get(client)
    if (!session) this.#sessions.set(client, (session = new Session(client)))
    return session
  }
  async beginTransaction(session: Session, { isolationLevel, accessMode }: TransactionSettings): Promise<void> {
    const modes = [
      ...(isolationLevel ? [`isolation level ${isolationLevel}`] : []),
      ...(accessMode ? [accessMode] : []),
    ]
    session.begin(['begin', ...modes].join(' '))
  }
  async commitTransaction(session: Session): Promise<void> {
    await session.end('commit')
  }
  async rollbackTransaction(session: Session): Promise<void> {
    await session.end('rollback')
  }
  async savepoint(session: Session, name: string): Promise<void> {
    await session.run(`savepoint ${escapeIdentifier(name)}`)
  }
  async rollbackToSavepoint(session: Session, name: string): Promise<void> {
    await session.run(`rollback to savepoint ${escapeIdentifier(name)}`)
  }
  async releaseSavepoint(session: Session, name: string): Promise<void> {
    await session.run(`release savepoint ${escapeIdentifier(name)}`)
  }
  async releaseConnection(session: Session): Promise<void> {
    session.release()
  }
  async destroy(): Promise<void> {
    await this.#pool.end()
  }
}
