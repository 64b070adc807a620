import type { EmbeddedDatabase } from '../../../core/db/pglite/client.ts'
import type { Transaction } from '../../../core/db/pglite/transaction.ts'

/** Runs work in a transaction of the embedded database, and commits it, or rolls it back if the work fails. */
export async function inTransaction<T>(db: EmbeddedDatabase, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const tx = await db.begin()
  try {
    const result = await work(tx)
    await tx.commit()
    return result
  } catch (error) {
    await tx.rollback().catch(() => undefined)
    throw error
  }
}
