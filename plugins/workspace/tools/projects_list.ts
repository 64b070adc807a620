import { choice, defineTool, sql, Type, type ReadContext, type Static } from 'tasuki/plugin'
import { FEATURES, projectColumns, roleIn, visible, type ProjectRow } from '../../projects/index.ts'

const Project = Type.Object({
  key: Type.String(),
  name: Type.String(),
  description: Type.Optional(Type.String()),
  is_inbox: Type.Boolean(),
  archived: Type.Boolean(),
  /** Of projects shared with the caller. */
  role: Type.Optional(choice(['editor', 'viewer'])),
  owner: Type.Optional(Type.String()),
  estimate_unit: choice(['none', 'points', 'hours']),
  /** Feature switches that are on. */
  features: Type.Array(Type.String()),
  open_tasks: Type.Integer(),
})

interface Row extends ProjectRow {
  readonly owner: string
  readonly ownerFeatures: Readonly<Record<string, boolean>> | null
  readonly openTasks: number
}

export const projectsList = defineTool({
  name: 'projects_list',
  class: 'R',
  title: 'List projects',
  summary: 'Lists your projects and those shared with you, with features that are on and open tasks.',
  rank: 20,
  input: Type.Object(
    { include_archived: Type.Optional(Type.Boolean({ default: false, description: 'Also archived projects.' })) },
    { additionalProperties: false },
  ),
  output: Type.Object({ projects: Type.Array(Project) }),
  rows: 'projects',
  async run(ctx, { include_archived = false }) {
    const { rows } = await sql<Row>`
      select ${projectColumns(ctx, 'p')}, u.email as owner, d.features as "ownerFeatures",
        (select count(*)::int from items.items i where i.owner_id = p.owner_id and i.project_id = p.id and i.type = 'task'
          and i.archived_at is null and i.completed_at is null) as "openTasks"
      from projects.projects p join core.users u on u.id = p.owner_id
      left join projects.settings d on d.owner_id = p.owner_id
      where ${visible(ctx, 'p', 'id')} and ${include_archived ? sql`true` : sql`p.archived_at is null`}
      order by p.owner_id <> ${ctx.actor.userId}, p.is_inbox desc, p.key, u.email
    `.execute(ctx.db)
    return { projects: rows.map(row => projectFrom(ctx, row)) }
  },
})

function projectFrom(ctx: ReadContext, row: Row): Static<typeof Project> {
  const role = roleIn(ctx, row)
  const switches = { ...FEATURES, ...row.ownerFeatures, ...row.features }
  return {
    key: row.key,
    name: row.name,
    ...(row.description !== null && { description: row.description }),
    is_inbox: row.isInbox,
    archived: row.archived,
    ...(role !== 'owner' && { role, owner: row.owner }),
    estimate_unit: row.estimateUnit,
    features: Object.keys(FEATURES).filter(feature => switches[feature as keyof typeof FEATURES]),
    open_tasks: row.openTasks,
  }
}
