import { iso, sql, type RawBuilder, type ReadContext, type WriteContext } from 'tasuki/plugin'
import { keyIs, oneProject, projectColumns, requireFeature, type ProjectRow } from '../projects/index.ts'

export type SprintStatus = 'planning' | 'active' | 'closed'

/** A sprint in its place. Dates are `YYYY-MM-DD`, instants ISO 8601 UTC. */
export interface SprintRow {
  readonly ownerId: string
  readonly id: string
  readonly projectId: string
  readonly parentId: string | null
  readonly name: string
  /** `sprintKey` of the name. */
  readonly key: string
  readonly path: string
  /** `pathKey` of the path. */
  readonly pathKey: string
  /** 1 = top level. */
  readonly depth: number
  readonly goal: string | null
  readonly startDate: string | null
  readonly endDate: string | null
  readonly capacity: number | null
  readonly status: SprintStatus
  readonly displayOrder: number
  readonly startedAt: string | null
  readonly updatedAt: string
}

/**
 * Joins the sprints above `sp`, as many as there can be. Each is looked up by its key: while the table has no statistics, the planner
 * would compare all sprints with all others, twice.
 */
export const above = sql`
  left join lateral (select b.* from sprints.sprints b where b.owner_id = sp.owner_id and b.id = sp.parent_id offset 0) sb on true
  left join lateral (select c.* from sprints.sprints c where c.owner_id = sb.owner_id and c.id = sb.parent_id offset 0) sc on true`

/** The path of `sp`, with `above`. */
export const pathOf = sql<string>`concat_ws('/', sc.name, sb.name, sp.name)`
/** The path of `sp` as paths are compared. */
export const pathKeyOf = sql<string>`concat_ws('/', sc.name_key, sb.name_key, sp.name_key)`

/** The sprint `sp` as a `SprintRow`, with `above`. */
export const sprintRow: RawBuilder<SprintRow> = sql`jsonb_build_object('ownerId', sp.owner_id, 'id', sp.id, 'projectId', sp.project_id,
  'parentId', sp.parent_id, 'name', sp.name, 'key', sp.name_key, 'path', ${pathOf}, 'pathKey', ${pathKeyOf},
  'depth', 1 + (sb.id is not null)::int + (sc.id is not null)::int, 'goal', sp.goal, 'startDate', sp.start_date, 'endDate', sp.end_date,
  'capacity', sp.capacity, 'status', sp.status, 'displayOrder', sp.display_order, 'startedAt', ${iso('sp.started_at')},
  'updatedAt', ${iso('sp.updated_at')})`

export interface ProjectSprints {
  readonly project: ProjectRow
  readonly sprints: readonly SprintRow[]
}

/** Sprints of the project `p`, as a jsonb array of `SprintRow`. */
const ofProject: RawBuilder<SprintRow[] | null> = sql`(
  select jsonb_agg(${sprintRow} order by ${pathKeyOf} collate "C") from sprints.sprints sp ${above}
  where sp.owner_id = p.owner_id and sp.project_id = p.id)`

/** Reads all sprints of a project, in one statement. @throws ToolError not_found, ambiguous_ref, forbidden, feature_disabled */
export async function readSprints(
  ctx: ReadContext,
  key: string,
  demand: { readonly write?: boolean } = {},
): Promise<ProjectSprints> {
  const { rows } = await sql<ProjectRow & { readonly sprints: SprintRow[] | null }>`
    select ${projectColumns(ctx, 'p')}, ${ofProject} as sprints from projects.projects p where ${keyIs(ctx, key)} limit 2
  `.execute(ctx.db)
  const { sprints, ...project } = await oneProject(ctx, rows, key, demand)
  requireFeature(ctx, 'sprints', project)
  return { project, sprints: sprints ?? [] }
}

/** Reads all sprints of a project to change them; others who want to wait until the transaction ends. */
export async function lockSprints(ctx: WriteContext, key: string): Promise<ProjectSprints> {
  const locked = await sql<ProjectRow>`
    select ${projectColumns(ctx, 'p')} from projects.projects p where ${keyIs(ctx, key)} limit 2 for no key update of p
  `.execute(ctx.db)
  const project = await oneProject(ctx, locked.rows, key, { write: true })
  requireFeature(ctx, 'sprints', project)
  // A statement of its own: one that waited for the lock would still see the sprints as they were before it waited.
  const { rows } = await sql<{ sprints: SprintRow[] | null }>`
    select ${ofProject} as sprints from projects.projects p where p.owner_id = ${project.ownerId} and p.id = ${project.id}
  `.execute(ctx.db)
  return { project, sprints: rows[0]?.sprints ?? [] }
}

export function childrenOf(sprints: readonly SprintRow[], parentId: string | null): SprintRow[] {
  return sprints.filter(sprint => sprint.parentId === parentId)
}

/** True for the sprint itself, too. */
export function isWithin(sprints: readonly SprintRow[], sprint: SprintRow, root: SprintRow): boolean {
  for (let at: SprintRow | undefined = sprint; at; at = sprints.find(({ id }) => id === at?.parentId)) {
    if (at.id === root.id) return true
  }
  return false
}

/** Levels of the branch, the sprint's own included. */
export function height(sprints: readonly SprintRow[], root: SprintRow): number {
  const depths = sprints.filter(sprint => isWithin(sprints, sprint, root)).map(sprint => sprint.depth)
  return Math.max(...depths) - root.depth + 1
}
