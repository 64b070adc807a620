import { sql, ToolError, type ReadContext } from 'tasuki/plugin'
import { checkRole, projectColumns, requireFeature, visible, type ProjectRow } from '../projects/index.ts'
import { pathKey, sprintKey } from './names.ts'
import { above, pathKeyOf, sprintRow, type SprintRow } from './rows.ts'

export interface SprintDemand {
  /** The caller is going to change something in it. */
  readonly write?: boolean
  /** Name of the parameter, for errors; default sprint_id. */
  readonly field?: string
}

/**
 * Finds the sprint of a call that names no project, in one statement: an id, or a path, bare name or `@active` that only one of all
 * visible projects has. @throws ToolError not_found, ambiguous_ref, forbidden, feature_disabled
 */
export async function requireSprint(
  ctx: ReadContext,
  text: string,
  { write = false, field = 'sprint_id' }: SprintDemand = {},
): Promise<{ readonly project: ProjectRow; readonly sprint: SprintRow }> {
  const [word, key] = [sprintKey(text), pathKey(text)]
  const named =
    word === '@active'
      ? sql`sp.status = 'active'`
      : sql`sp.id::text = ${word} or sp.name_key = ${key} or ${pathKeyOf} = ${key}`
  const { rows } = await sql<{ project: ProjectRow; sprint: SprintRow; closeness: number }>`
    select (select to_jsonb(q) from (select ${projectColumns(ctx, 'p')}) q) as project, ${sprintRow} as sprint,
      case when sp.id::text = ${word} then 2 when ${pathKeyOf} = ${key} then 1 else 0 end as closeness
    from sprints.sprints sp join projects.projects p on p.owner_id = sp.owner_id and p.id = sp.project_id ${above}
    where ${visible(ctx, 'sp')} and (${named}) order by closeness desc, p.key, sp.id limit 21
  `.execute(ctx.db)
  const best = rows.filter(row => row.closeness === rows[0]!.closeness)
  const [found] = best
  if (!found) {
    throw new ToolError('not_found', `There is no sprint ${text}.`, {
      field,
      hint: 'sprints_list shows the sprints with their ids.',
    })
  }
  if (best.length > 1) {
    throw new ToolError('ambiguous_ref', `${text} may mean ${best.length} sprints.`, {
      field,
      allowed: best.map(row => row.sprint.id),
      hint: 'Give the id of one of them.',
      details: {
        sprints: best.map(({ project, sprint }) => ({ id: sprint.id, project_key: project.key, path: sprint.path })),
      },
    })
  }
  const { project, sprint } = found
  checkRole(ctx, project, { write })
  requireFeature(ctx, 'sprints', project)
  return { project, sprint }
}
