import { sql, type ReadContext, type WriteContext } from 'tasuki/plugin'
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

/** Reads all areas of a project to change them; others who want to wait until the transaction ends. @throws ToolError also forbidden */
export async function lockAreas(ctx: WriteContext, key: string): Promise<ProjectAreas> {
  const { project, places } = await readPlaces(ctx, areas, key, { write: true, lock: true })
  return { project, rows: inTreeOrder(places) }
}

export async function insertArea(ctx: WriteContext, project: ProjectRow, area: AreaRow): Promise<void> {
  await sql`
    insert into areas.areas (owner_id, id, project_id, parent_id, name, name_key, description, display_order, created_at, updated_at)
    values (${project.ownerId}, ${area.id}, ${project.id}, ${area.parentId}, ${area.name}, ${area.key}, ${area.description},
      ${area.displayOrder}, ${ctx.now}, ${ctx.now})
  `.execute(ctx.db)
}

/** Writes the whole row: the project's areas are locked. */
export async function updateArea(ctx: WriteContext, area: AreaRow): Promise<void> {
  await sql`
    update areas.areas set name = ${area.name}, name_key = ${area.key}, description = ${area.description}, parent_id = ${area.parentId},
      display_order = ${area.displayOrder}, archived_at = case when ${area.marked} then coalesce(archived_at, ${ctx.now}) end,
      updated_at = ${ctx.now}
    where owner_id = ${area.ownerId} and id = ${area.id}
  `.execute(ctx.db)
}

export async function deleteAreas(ctx: WriteContext, { ownerId }: ProjectRow, rows: readonly AreaRow[]): Promise<void> {
  const ids = rows.map(row => row.id)
  await ctx.db.deleteFrom('areas.areas').where('owner_id', '=', ownerId).where('id', 'in', ids).execute()
}
