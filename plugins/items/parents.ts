import { sql, ToolError, type ReadContext } from 'tasuki/plugin'
import { keyColumn } from '../projects/index.ts'
import type { Draft, ItemRow } from './draft.ts'
import { requireItem } from './find.ts'

const refOf = ({ project, number }: ItemRow): string => `${project.key}#${number}`

/** Finds the parent that a parameter names, which must belong to the same owner. @throws ToolError */
export async function requireParent(ctx: ReadContext, text: string, ownerId: string): Promise<ItemRow> {
  const parent = await requireItem(ctx, text, { field: 'parent', write: true })
  if (parent.ownerId !== ownerId) throw foreign(parent, 'The item', 'parent')
  return parent
}

/**
 * Puts drafts under one parent, or under none, in a few statements whatever their number; refusals go to their problems.
 * @param lock holds other moves of the owner up until the transaction ends, so that no two of them close a cycle
 */
export async function applyParent(
  ctx: ReadContext,
  drafts: readonly Draft[],
  parent: ItemRow | null,
  { field, lock }: { readonly field?: string; readonly lock: boolean },
): Promise<void> {
  const moving = drafts.filter(draft => draft.before!.parentId !== (parent?.id ?? null))
  if (moving.length === 0) return
  const above = parent ? await selfAndAncestors(ctx, parent, lock) : new Set<string>()
  const former = await parentRefs(ctx, moving)
  for (const draft of moving) {
    if (parent && draft.ownerId !== parent.ownerId) draft.problems.push(foreign(parent, draft.ref, field))
    else if (parent && above.has(draft.id)) draft.problems.push(cycle(parent, draft, field))
    else {
      draft.after.parentId = parent?.id ?? null
      draft.change('parent', former.get(draft.before!.parentId ?? '') ?? null, parent && refOf(parent))
    }
  }
}

function foreign(parent: ItemRow, child: string, field?: string): ToolError {
  return new ToolError('invalid_argument', `${child} and ${refOf(parent)} belong to different owners.`, {
    ...(field !== undefined && { field }),
    hint: 'A parent must have the same owner.',
  })
}

function cycle(parent: ItemRow, draft: Draft, field?: string): ToolError {
  const why = parent.id === draft.id ? 'is the item itself' : `lies below ${draft.ref}`
  return new ToolError('cycle', `${refOf(parent)} ${why}.`, {
    ...(field !== undefined && { field }),
    hint: 'Choose a parent outside of the item and its descendants.',
  })
}

async function selfAndAncestors(
  ctx: ReadContext,
  { ownerId, id }: ItemRow,
  lock: boolean,
): Promise<ReadonlySet<string>> {
  // Two moves at once could close a cycle that neither sees, so one owner's moves wait for each other.
  if (lock) await sql`select pg_advisory_xact_lock(hashtext('items.parent'), hashtext(${ownerId}))`.execute(ctx.db)
  const { rows } = await sql<{ id: string }>`
    with recursive up as (
      select i.id, i.parent_id from items.items i where i.owner_id = ${ownerId} and i.id = ${id}
      union select i.id, i.parent_id from items.items i join up on i.owner_id = ${ownerId} and i.id = up.parent_id
    ) select id from up
  `.execute(ctx.db)
  return new Set(rows.map(row => row.id))
}

/** References of the former parents, by id. */
async function parentRefs(ctx: ReadContext, drafts: readonly Draft[]): Promise<ReadonlyMap<string, string>> {
  const parents = drafts.flatMap(({ ownerId, before }) =>
    before!.parentId ? [sql`(${ownerId}::uuid, ${before!.parentId}::uuid)`] : [],
  )
  if (parents.length === 0) return new Map()
  const { rows } = await sql<{ id: string; ref: string }>`
    select i.id, ${keyColumn(ctx, 'p')} || '#' || i.number as ref from items.items i
    join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
    where (i.owner_id, i.id) in (${sql.join(parents)})
  `.execute(ctx.db)
  return new Map(rows.map(row => [row.id, row.ref]))
}
