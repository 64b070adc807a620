import {
  choice,
  guarded,
  iso,
  nullable,
  sql,
  Type,
  type RawBuilder,
  type ReadContext,
  type Static,
  type WriteContext,
} from 'tasuki/plugin'
import { keyIs, oneProject, projectColumns, type ProjectRow } from '../projects/index.ts'
import { PATH_MAX } from './names.ts'
import { treeOf, type AreaNode, type AreaRow } from './tree.ts'

/** An area as tools return it. */
export const areaSchema = Type.Object({
  id: Type.String(),
  name: Type.String(),
  path: Type.String(),
  parent_path: Type.Optional(nullable(Type.String())),
  depth: Type.Integer({ description: '1 = top level.' }),
  description: Type.Optional(nullable(Type.String())),
  display_order: Type.Integer(),
  archived: Type.Boolean({ description: 'Itself or through an area above.' }),
  item_count: Type.Integer({ description: 'Items directly in it, closed and archived ones too.' }),
  created_at: Type.String(),
  updated_at: Type.String(),
})

/** What a write of an area returns. */
export const areaResult = Type.Object({
  area: areaSchema,
  changed: Type.Array(choice(['name', 'description', 'parent_path', 'archived'])),
  warnings: Type.Optional(Type.Array(Type.String())),
})

export const areaPath = (text: string) => guarded(Type.String({ description: text }), { maxLength: PATH_MAX })
export const description = (text: string) => Type.String({ maxLength: 500, description: text })

export function areaRecord(node: AreaNode): Static<typeof areaSchema> {
  const { id, name, path, parent, depth, displayOrder, archived, itemCount, createdAt, updatedAt } = node
  return {
    id,
    name,
    path,
    ...(parent && { parent_path: parent.path }),
    depth,
    ...(node.description !== null && { description: node.description }),
    display_order: displayOrder,
    archived,
    item_count: itemCount,
    created_at: createdAt,
    updated_at: updatedAt,
  }
}

export interface ProjectTree {
  readonly project: ProjectRow
  /** In tree order. */
  readonly tree: readonly AreaNode[]
}

/** Areas of the project `p` as a jsonb array of `AreaRow`. */
const rowsOfProject: RawBuilder<AreaRow[] | null> = sql`(
  select jsonb_agg(jsonb_build_object('id', a.id, 'parentId', a.parent_id, 'name', a.name, 'key', a.name_key,
    'description', a.description, 'displayOrder', a.display_order, 'marked', a.archived_at is not null,
    'itemCount', (select count(*)::int from areas.item_areas ia where ia.owner_id = a.owner_id and ia.area_id = a.id),
    'createdAt', ${iso('a.created_at')}, 'updatedAt', ${iso('a.updated_at')}))
  from areas.areas a where a.owner_id = p.owner_id and a.project_id = p.id)`

/** Reads all areas of a project. @throws ToolError not_found, ambiguous_ref */
export async function readTree(ctx: ReadContext, key: string): Promise<ProjectTree> {
  const { rows } = await sql<ProjectRow & { readonly areas: AreaRow[] | null }>`
    select ${projectColumns(ctx, 'p')}, ${rowsOfProject} as areas from projects.projects p where ${keyIs(ctx, key)} limit 2
  `.execute(ctx.db)
  const { areas, ...project } = await oneProject(ctx, rows, key)
  return { project, tree: treeOf(areas ?? []) }
}

/** Reads all areas of a project to change them; others who want to wait until the transaction ends. @throws ToolError also forbidden */
export async function lockTree(ctx: WriteContext, key: string): Promise<ProjectTree> {
  const locked = await sql<ProjectRow>`
    select ${projectColumns(ctx, 'p')} from projects.projects p where ${keyIs(ctx, key)} limit 2 for no key update of p
  `.execute(ctx.db)
  const project = await oneProject(ctx, locked.rows, key, { write: true })
  // A statement of its own: one that waited for the lock would still see the areas as they were before it waited.
  const { rows } = await sql<{ areas: AreaRow[] | null }>`
    select ${rowsOfProject} as areas from projects.projects p where p.owner_id = ${project.ownerId} and p.id = ${project.id}
  `.execute(ctx.db)
  return { project, tree: treeOf(rows[0]?.areas ?? []) }
}
