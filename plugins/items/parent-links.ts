import { sql, ToolError, type WriteContext } from 'tasuki/plugin'
import type { Draft, ItemRow } from './draft.ts'
import { draftOf } from './drafting.ts'
import { writeItems } from './write.ts'

/**
 * Puts items under one parent, or under none, in a few statements whatever their number; the items must be locked.
 * @returns their drafts; those that would close a cycle or belong to another owner carry the problem and are left alone.
 */
export async function linkParents(
  ctx: WriteContext,
  children: readonly ItemRow[],
  parent: ItemRow | null,
): Promise<readonly Draft[]> {
  const drafts = children.map(child => draftOf(child))
  const moving = drafts.filter(draft => draft.before!.parentId !== (parent?.id ?? null))
  const above = parent && moving.length > 0 ? await selfAndAncestors(ctx, parent) : new Set<string>()
  const former = await refsOf(ctx, moving)
  const parentRef = parent && `${parent.project.key}#${parent.number}`
  for (const draft of moving) {
    if (parent && draft.ownerId !== parent.ownerId) {
      draft.problems.push(
        new ToolError('invalid_argument', `${draft.ref} and ${parentRef} belong to different owners.`, {
          hint: 'A parent must have the same owner.',
        }),
      )
    } else if (above.has(draft.id)) {
      draft.problems.push(
        new ToolError(
          'cycle',
          `${parentRef} ${parent!.id === draft.id ? 'is the item itself' : `lies below ${draft.ref}`}.`,
          { hint: 'Choose a parent outside of the item and its descendants.' },
        ),
      )
    } else {
      draft.after.parentId = parent?.id ?? null
      draft.change('parent', former.get(draft.before!.parentId ?? '') ?? null, parentRef)
    }
  }
  await writeItems(ctx, drafts, { tool: 'items_patch', input: {}, bulk: children.length > 1 })
  return drafts
}

async function selfAndAncestors(ctx: WriteContext, { ownerId, id }: ItemRow): Promise<ReadonlySet<string>> {
  // Two moves at once could close a cycle that neither sees, so one owner's moves wait for each other.
  await sql`select pg_advisory_xact_lock(hashtext('items.parent'), hashtext(${ownerId}))`.execute(ctx.db)
  const { rows } = await sql<{ id: string }>`
    with recursive up as (
      select i.id, i.parent_id from items.items i where i.owner_id = ${ownerId} and i.id = ${id}
      union select i.id, i.parent_id from items.items i join up on i.owner_id = ${ownerId} and i.id = up.parent_id
    ) select id from up
  `.execute(ctx.db)
  return new Set(rows.map(row => row.id))
}

/** References of the former parents, by id. */
async function refsOf(ctx: WriteContext, drafts: readonly Draft[]): Promise<ReadonlyMap<string, string>> {
  const parents = drafts.flatMap(({ ownerId, before }) =>
    before!.parentId ? [sql`(${ownerId}::uuid, ${before!.parentId}::uuid)`] : [],
  )
  if (parents.length === 0) return new Map()
  const { rows } = await sql<{ id: string; ref: string }>`
    select i.id, p.key || '#' || i.number as ref from items.items i
    join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
    where (i.owner_id, i.id) in (${sql.join(parents)})
  `.execute(ctx.db)
  return new Map(rows.map(row => [row.id, row.ref]))
}
