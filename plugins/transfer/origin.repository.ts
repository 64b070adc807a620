import { insertRecords, isUuid, lockUntilCommit, sql } from 'tasuki/plugin'
import type { Expression, NewRow, ReadContext, WriteContext } from 'tasuki/plugin'
import type { ProjectRow } from '../projects/index.ts'

/** The source of the item `i` as one JSON object; null = not imported. */
export const originField: Expression<unknown> = sql`select json_build_object('imported_from', json_strip_nulls(json_build_object(
    'format', o.format, 'key', o.key, 'author', o.author, 'assignee', o.assignee)))
  from transfer.origins o where o.owner_id = i.owner_id and o.item_id = i.id`

/** Serializes imports into a project until the transaction ends. */
export async function lockImports(ctx: WriteContext, { id }: ProjectRow): Promise<void> {
  await lockUntilCommit(ctx.db, 'transfer.import', id)
}

/** Keys per statement: a file has up to a million, and a statement is made in one turn of the event loop. */
const MOST_KEYS = 20_000

/** Finds the items that were imported from keys, or have them as their ids (for an export imported into its own project), by key. */
export async function findImported(
  ctx: ReadContext,
  { ownerId, id }: ProjectRow,
  format: string,
  keys: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (let from = 0; from < keys.length; from += MOST_KEYS) {
    // An array probes the index for each key. A subquery was joined with all keys imported so far, a third of the time of a large import.
    const wanted = keys.slice(from, from + MOST_KEYS)
    const rows = await ctx.db
      .selectFrom('transfer.origins')
      .select(['key', 'item_id'])
      .where(({ and }) => and({ owner_id: ownerId, project_id: id, format }))
      .where(sql<boolean>`key = any(${wanted}::text[])`)
      .union(({ selectFrom }) =>
        selectFrom('items.items')
          .select(({ cast }) => [cast<string>('id', 'text').as('key'), 'id as item_id'])
          .where(({ and }) => and({ owner_id: ownerId, project_id: id }))
          .where(sql<boolean>`id = any(${wanted.filter(isUuid)}::uuid[])`),
      )
      .execute()
    for (const row of rows) found.set(row.key, row.item_id)
  }
  return found
}

export async function insertOrigins(ctx: WriteContext, rows: readonly NewRow<'transfer.origins'>[]): Promise<void> {
  await insertRecords(ctx.db, 'transfer.origins', rows).execute()
}
