import { sql, type InsertQueryBuilder, type InsertResult } from 'kysely'
import type { Db } from './context.ts'
import { hasRoom, type Condition } from './sql.ts'
import type { NewRow, Tables } from './tables.ts'

/**
 * Inserts a row if a condition holds, in one statement: `insertIf(ctx.db, 'risk.remarks', row, hasRoom('risk.remarks', ownerId, 100))`.
 * @returns the statement, to which `onConflict` and `returning` may be added
 */
export function insertIf<T extends keyof Tables>(
  db: Db,
  table: T,
  row: NewRow<T>,
  condition: Condition,
): InsertQueryBuilder<Tables, T, InsertResult> {
  const names = Object.keys(row) as (keyof Tables[T] & string)[]
  const values = Object.entries(row).map(([name, value]) => sql.val(value).as(name))
  return db.insertInto(table).columns(names).expression(db.selectNoFrom(values).where(condition))
}

/** Returns whether an owner has `most` rows in a table; tells why `insertIf` with `hasRoom` inserted nothing. */
export async function isFull(db: Db, table: keyof Tables, ownerId: string, most: number): Promise<boolean> {
  const { room } = await db.selectNoFrom(hasRoom(table, ownerId, most).as('room')).executeTakeFirstOrThrow()
  return !room
}
