import { noSql, rowExists, sql, type Condition, type Expression, type ReadContext, type Tables } from 'tasuki/plugin'
import { keyColumn, refColumn, visible, type ProjectRow } from '../projects/index.ts'
import { formatRef, type ItemChange, type ItemRow } from './draft.ts'

/** The item that a row of another plugin belongs to. */
export interface ItemOfRow {
  readonly ownerId: string
  readonly item: { readonly id: string; readonly ref: string; readonly title: string }
  readonly project: Pick<ProjectRow, 'ownerId' | 'id' | 'key'>
}

export function toItemOfRow(item: ItemRow): ItemOfRow {
  const { ownerId, id, title, project } = item
  return { ownerId, item: { id, ref: formatRef(item), title }, project }
}

/** Creates an entry for the history of the item. */
export function toItemChange({ ownerId, item, project }: ItemOfRow, kind: string, more: Partial<ItemChange> = {}) {
  return { ownerId, itemId: item.id, projectId: project.id, ref: item.ref, title: item.title, kind, ...more }
}

/** Returns the condition that the item `i` has a row in a table that refers to items by `item_id`. */
export function hasRowIn(table: keyof Tables): Condition {
  return rowExists(table, { owner_id: 'i.owner_id', item_id: 'i.id' })
}

export interface ItemRowDemand {
  /** Locks the row until the transaction ends. */
  readonly lock?: boolean
  /** Joins from the row's alias to other tables. */
  readonly joins?: Expression<unknown>
}

/**
 * Finds a row by id together with its item, if the caller may see the item.
 * @param columns select list over the row `r`, its item `i` and the project `p`
 */
export async function findItemRow<T extends object>(
  ctx: ReadContext,
  table: keyof Tables,
  id: string,
  columns: Expression<unknown>,
  { lock = false, joins = noSql }: ItemRowDemand = {},
): Promise<(T & ItemOfRow) | undefined> {
  const { rows } = await sql<T & ItemOfRow>`
    select r.owner_id as "ownerId", ${columns},
      json_build_object('id', i.id, 'ref', ${refColumn(ctx)}, 'title', i.title) as item,
      json_build_object('ownerId', p.owner_id, 'id', p.id, 'key', ${keyColumn(ctx, 'p')}) as project
    from ${sql.table(table)} r ${joins}
    join items.items i on i.owner_id = r.owner_id and i.id = r.item_id
    join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
    where r.id = ${id} and ${visible(ctx, 'i')} ${sql.raw(lock ? 'for update of r' : '')}
  `.execute(ctx.db)
  return rows[0]
}
