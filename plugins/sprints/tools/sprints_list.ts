import { defineTool, sql, Type, type RawBuilder, type ReadContext } from 'tasuki/plugin'
import {
  featureColumn,
  keyIs,
  oneProject,
  projectColumns,
  requireFeature,
  visible,
  type ProjectRow,
} from '../../projects/index.ts'
import { sprintRecord, sprintSchema, sprintSource, type SprintRecord } from '../sprint.ts'

/** Sprints that one call returns: it has no page to go on with, so all but what no project has. The closed ones longest ago fall off. */
const MOST = 1000

export const sprintsList = defineTool({
  name: 'sprints_list',
  class: 'R',
  title: 'List sprints',
  summary: 'Lists sprints with goal, capacity, counts and remaining estimate; without project_key all active ones.',
  rank: 150,
  gates: ['sprints'],
  input: Type.Object(
    { project_key: Type.Optional(Type.String({ description: 'Project key.' })) },
    { additionalProperties: false },
  ),
  output: Type.Object({
    sprints: Type.Array(sprintSchema),
    has_more: Type.Boolean(),
    warnings: Type.Optional(Type.Array(Type.String())),
  }),
  rows: 'sprints',
  async run(ctx, { project_key }) {
    const found = project_key === undefined ? await everywhere(ctx) : await ofProject(ctx, project_key)
    const has_more = found.length > MOST
    return {
      sprints: found.slice(0, MOST),
      has_more,
      ...(has_more && { warnings: [`Only the first ${MOST} sprints are listed.`] }),
    }
  },
})

async function everywhere(ctx: ReadContext): Promise<SprintRecord[]> {
  const { rows } = await sql<{ sprint: SprintRecord }>`
    select ${sprintRecord(ctx)} as sprint from ${sprintSource(ctx)}
    where ${visible(ctx, 'sp')} and sp.status = 'active' and p.archived_at is null and ${featureColumn(ctx, 'sprints')}
    order by p.owner_id <> ${ctx.actor.userId}, p.key, sp.end_date, sp.id limit ${sql.lit(MOST + 1)}
  `.execute(ctx.db)
  return rows.map(row => row.sprint)
}

/** The project `q` is found first, so that one statement tells an empty project from an unknown one. */
async function ofProject(ctx: ReadContext, key: string): Promise<SprintRecord[]> {
  const place = sql`array_position(array['active', 'planning', 'closed'], sp.status)`
  const order: RawBuilder<unknown> = sql`${place}, sp.closed_at desc, sp.start_date, sp.display_order, sp.id`
  const { rows } = await sql<ProjectRow & { readonly sprints: SprintRecord[] | null }>`
    select ${projectColumns(ctx, 'q')}, (
      select jsonb_agg(t.sprint order by t.place) from (
        select ${sprintRecord(ctx)} as sprint, row_number() over (order by ${order}) as place from ${sprintSource(ctx)}
        where sp.owner_id = q.owner_id and sp.project_id = q.id order by ${order} limit ${sql.lit(MOST + 1)}) t
    ) as sprints
    from projects.projects q where ${keyIs(ctx, key, 'q')} limit 2
  `.execute(ctx.db)
  const { sprints, ...project } = await oneProject(ctx, rows, key)
  requireFeature(ctx, 'sprints', project)
  return sprints ?? []
}
