import { sql, ToolError, type ReadContext } from 'tasuki/plugin'
import type { Draft, ItemRow } from './draft.ts'
import { requireItem } from './find.ts'

/** Finds the parent that a parameter names, which must belong to the same owner. @throws ToolError */
export async function requireParent(ctx: ReadContext, ref: string, ownerId: string): Promise<ItemRow> {
  const parent = await requireItem(ctx, ref, { field: 'parent', write: true })
  if (parent.ownerId !== ownerId) {
    throw new ToolError('invalid_argument', `${ref} belongs to another owner; a parent must have the same owner.`, { field: 'parent' })
  }
  return parent
}

/** Puts an item under a parent, or under none. @throws ToolError cycle */
export async function applyParent(ctx: ReadContext, draft: Draft, ref: string | null): Promise<void> {
  const before = draft.before!
  const parent = ref ? await requireParent(ctx, ref, draft.ownerId) : null
  if ((parent?.id ?? null) === before.parentId) return
  if (parent) await refuseCycle(ctx, draft, parent)
  draft.after.parentId = parent?.id ?? null
  draft.change('parent', await refOf(ctx, draft.ownerId, before.parentId), parent && `${parent.project.key}#${parent.number}`)
}

async function refuseCycle(ctx: ReadContext, draft: Draft, parent: ItemRow): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    with recursive up as (
      select i.id, i.parent_id from items.items i where i.owner_id = ${draft.ownerId} and i.id = ${parent.id}
      union select i.id, i.parent_id from items.items i join up on i.owner_id = ${draft.ownerId} and i.id = up.parent_id
    ) select id from up where id = ${draft.id}
  `.execute(ctx.db)
  if (rows.length === 0) return
  throw new ToolError('cycle', `${parent.project.key}#${parent.number} is ${draft.ref} itself or lies below it.`, {
    field: 'parent',
    hint: 'Choose a parent outside of the item and its descendants.',
  })
}

async function refOf(ctx: ReadContext, ownerId: string, id: string | null): Promise<string | null> {
  if (id === null) return null
  const { rows } = await sql<{ ref: string }>`
    select p.key || '#' || i.number as ref from items.items i join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
    where i.owner_id = ${ownerId} and i.id = ${id}
  `.execute(ctx.db)
  return rows[0]?.ref ?? null
}
