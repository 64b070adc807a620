import type { Kysely } from 'kysely'
import type { Db } from './context.ts'
import type { Row, RowChanges, Tables } from './tables.ts'

/** Columns of a table with the required value; an array allows any of its values. */
export type RowMatch<T extends keyof Tables> = {
  readonly [C in keyof Row<T>]?: NonNullable<Row<T>[C]> | readonly NonNullable<Row<T>[C]>[]
}

/** Kysely cannot type a generic table; the parameters of both functions check columns and values. */
type AnyTable = Kysely<Record<string, Record<string, unknown>>>

/**
 * Updates the matching rows: `updateWhere(ctx.db, 'risk.risks', { owner_id: ownerId, id }, { level: 3 })`.
 * @throws TypeError without a condition
 */
export async function updateWhere<T extends keyof Tables>(
  db: Pick<Db, 'updateTable'> | { updateTable(table: never): unknown },
  table: T,
  match: RowMatch<T>,
  changes: RowChanges<T>,
): Promise<void> {
  const statement = (db as unknown as AnyTable).updateTable(table as string).set(changes)
  await conditionsOf(match)
    .reduce((query, [column, operator, value]) => query.where(column, operator, value), statement)
    .execute()
}

/** Deletes the matching rows: `deleteWhere(ctx.db, 'risk.risks', { owner_id: ownerId, id: ids })`. @throws TypeError without a condition */
export async function deleteWhere<T extends keyof Tables>(db: Db, table: T, match: RowMatch<T>): Promise<void> {
  await conditionsOf(match)
    .reduce(
      (query, [column, operator, value]) => query.where(column, operator, value),
      (db as unknown as AnyTable).deleteFrom(table as string),
    )
    .execute()
}

function conditionsOf(match: object): readonly (readonly [column: string, operator: '=' | 'in', value: unknown])[] {
  const conditions = Object.entries(match).map(
    ([column, value]) => [column, Array.isArray(value) ? 'in' : '=', value] as const,
  )
  if (conditions.length === 0) throw new TypeError('A statement on all rows of a table is written out.')
  return conditions
}
