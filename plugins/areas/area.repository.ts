import { deleteWhere, type ReadContext, type WriteContext } from 'tasuki/plugin'
import { readPlaces } from '../items/index.ts'
import type { ProjectRow } from '../projects/index.ts'
import { type AreaRow } from './area.ts'
import { inTreeOrder } from './position.ts'
import { areas } from './placement.repository.ts'

export interface ProjectAreas {
  readonly project: ProjectRow
  /** In tree order. */
  readonly rows: readonly AreaRow[]
}

/** Reads all areas of a project. @throws ToolError not_found, ambiguous_ref */
export async function readAreas(ctx: ReadContext, key: string): Promise<ProjectAreas> {
  const { project, places } = await readPlaces(ctx, areas, key)
  return { project, rows: inTreeOrder(places) }
}

/** Reads and locks all areas of a project until the transaction ends. @throws ToolError what `readAreas` throws, and forbidden */
export async function lockAreas(ctx: WriteContext, key: string): Promise<ProjectAreas> {
  const { project, places } = await readPlaces(ctx, areas, key, { write: true, lock: 'no key update' })
  return { project, rows: inTreeOrder(places) }
}

/** Returns the columns that inserts and updates of an area share. */
const columnsOf = (area: AreaRow) => ({
  parent_id: area.parentId,
  name: area.name,
  name_key: area.key,
  description: area.description,
  display_order: area.displayOrder,
})

export async function insertArea(ctx: WriteContext, area: AreaRow): Promise<void> {
  await ctx.db
    .insertInto('areas.areas')
    .values({
      owner_id: area.ownerId,
      id: area.id,
      project_id: area.projectId,
      ...columnsOf(area),
      created_at: ctx.now,
      updated_at: ctx.now,
    })
    .execute()
}

/** Updates the whole row, which is safe because the project's areas are locked. */
export async function updateArea(ctx: WriteContext, area: AreaRow): Promise<void> {
  await ctx.db
    .updateTable('areas.areas')
    .set(({ fn, val }) => ({
      ...columnsOf(area),
      archived_at: area.marked ? fn.coalesce('archived_at', val(ctx.now)) : null,
      updated_at: ctx.now,
    }))
    .where(({ and }) => and({ owner_id: area.ownerId, id: area.id }))
    .execute()
}

export async function deleteAreas(ctx: WriteContext, { ownerId }: ProjectRow, rows: readonly AreaRow[]): Promise<void> {
  await deleteWhere(ctx.db, 'areas.areas', { owner_id: ownerId, id: rows.map(row => row.id) })
}
