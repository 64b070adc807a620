import { sql } from 'kysely'
import type { WriteContext } from './context.ts'

/** SQLSTATEs of invalid values: out of range, too large, or rejected by a constraint. */
const REFUSED_VALUE = /^(?:22...|54000|23502|23514)$/

/** Runs work in a savepoint. On failure, rolls back to the savepoint and rethrows. */
export async function runInSavepoint<T>(ctx: Pick<WriteContext, 'db'>, work: () => Promise<T>): Promise<T> {
  await sql.raw('savepoint part').execute(ctx.db)
  try {
    const result = await work()
    await sql.raw('release savepoint part').execute(ctx.db)
    return result
  } catch (error) {
    await sql.raw('rollback to savepoint part').execute(ctx.db)
    throw error
  }
}

/**
 * Writes many records together. If the database rejects a value, splits the records in halves until only the rejected ones are left out.
 * @param refused called with each rejected record and its error
 * @returns the results of all successful writes
 */
export async function writeApart<Row, Result>(
  ctx: Pick<WriteContext, 'db'>,
  rows: readonly Row[],
  write: (rows: readonly Row[]) => Promise<Result>,
  refused: (row: Row, error: unknown) => void,
): Promise<readonly Result[]> {
  if (rows.length === 0) return []
  try {
    return [await runInSavepoint(ctx, () => write(rows))]
  } catch (error) {
    if (!REFUSED_VALUE.test(String((error as { readonly code?: unknown }).code))) throw error
    if (rows.length === 1) {
      refused(rows[0]!, error)
      return []
    }
    const middle = Math.ceil(rows.length / 2)
    const first = await writeApart(ctx, rows.slice(0, middle), write, refused)
    return [...first, ...(await writeApart(ctx, rows.slice(middle), write, refused))]
  }
}
