import { choice, defineTool, Type, type ReadContext, type Static } from 'tasuki/plugin'
import { FEATURES, roleIn } from '../../projects/index.ts'
import { readCountedProjects, type CountedProject } from '../project.repository.ts'

const Project = Type.Object({
  key: Type.String(),
  name: Type.String(),
  description: Type.Optional(Type.String()),
  is_inbox: Type.Boolean(),
  archived: Type.Boolean(),
  /** Only for projects shared with the caller. */
  role: Type.Optional(choice(['editor', 'viewer'])),
  owner: Type.Optional(Type.String()),
  estimate_unit: choice(['none', 'points', 'hours']),
  /** Enabled features. */
  features: Type.Array(Type.String()),
  open_tasks: Type.Integer(),
})

export const projectsList = defineTool({
  name: 'projects_list',
  class: 'R',
  title: 'List projects',
  summary: 'Lists your projects and those shared with you, with features that are on and open tasks.',
  rank: 20,
  input: { include_archived: Type.Optional(Type.Boolean({ default: false, description: 'Also archived projects.' })) },
  output: { projects: Type.Array(Project) },
  rows: 'projects',
  async run(ctx, { include_archived = false }) {
    const rows = await readCountedProjects(ctx, { archived: include_archived })
    return { projects: rows.map(row => toProjectJson(ctx, row)) }
  },
})

function toProjectJson(ctx: ReadContext, row: CountedProject): Static<typeof Project> {
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
