import { keyList, lockUntilCommit, sql, type ReadContext } from 'tasuki/plugin'
import { refColumn, visible } from '../projects/index.ts'
import type { ItemKey } from './item.repository.ts'

/** Serializes changes of parents of one owner until the transaction ends: two concurrent changes could close a cycle. */
export async function lockParents(ctx: ReadContext, ownerId: string): Promise<void> {
  await lockUntilCommit(ctx.db, 'items.parent', ownerId)
}

export interface Ancestor {
  readonly id: string
  /** Whether the caller may see the item. */
  readonly seen: boolean
}

/** Reads an item and all its ancestors, from the item upwards. */
export async function readAncestors(ctx: ReadContext, { ownerId, id }: ItemKey): Promise<readonly Ancestor[]> {
  const { rows } = await sql<Ancestor>`
    with recursive up as (
      select i.owner_id, i.project_id, i.id, i.parent_id, 0 as level from items.items i where i.owner_id = ${ownerId} and i.id = ${id}
      union all select i.owner_id, i.project_id, i.id, i.parent_id, up.level + 1 from items.items i
        join up on i.owner_id = ${ownerId} and i.id = up.parent_id
    ) cycle id set looped using path
    select up.id, ${visible(ctx, 'up')} as seen from up where not looped order by level
  `.execute(ctx.db)
  return rows
}

/** Reads the references of items by id for the history, which stores all of them and hides those that a reader may not see. */
export async function readRefs(
  ctx: ReadContext,
  keys: readonly ItemKey[],
): Promise<ReadonlyMap<string, { readonly ref: string; readonly seen: boolean }>> {
  if (keys.length === 0) return new Map()
  const { rows } = await sql<{ id: string; ref: string; seen: boolean }>`
    select i.id, ${refColumn(ctx)} as ref, ${visible(ctx, 'i')} as seen from items.items i
    join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
    where (i.owner_id, i.id) in (${keyList(keys.map(({ ownerId, id }) => [ownerId, id]))})
  `.execute(ctx.db)
  return new Map(rows.map(row => [row.id, row]))
}

/** Counts the children of items in projects other than the target, without those that move too. */
export async function countChildrenElsewhere(
  ctx: ReadContext,
  ownerId: string,
  ids: readonly string[],
  projectId: string,
): Promise<readonly { readonly id: string; readonly count: number }[]> {
  return ctx.db
    .selectFrom('items.items as c')
    .select(({ cast, fn }) => ['c.parent_id as id', cast<number>(fn.countAll(), 'int4').as('count')])
    .where('c.owner_id', '=', ownerId)
    .where('c.parent_id', 'in', ids)
    .where('c.project_id', '<>', projectId)
    .where('c.id', 'not in', ids)
    .where(visible(ctx, 'c'))
    .groupBy('c.parent_id')
    .$narrowType<{ id: string }>()
    .execute()
}
