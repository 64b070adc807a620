import { defineTool, iso, sql, Type, type RawBuilder, type ReadContext, type Static } from 'tasuki/plugin'
import {
  keyColumn,
  keyIs,
  oneProject,
  projectColumns,
  projectKey,
  visible,
  type ProjectRow,
} from '../../projects/index.ts'
import { projectWorkflow, statesOf, workflowVisible } from '../find.ts'
import { workflowState, type WorkflowStateRow } from '../state.ts'

const workflow = Type.Object({
  id: Type.String(),
  name: Type.String(),
  is_system: Type.Boolean(),
  editable: Type.Boolean(),
  enforce_transitions: Type.Boolean(),
  project_keys: Type.Array(Type.String()),
  updated_at: Type.String(),
})
interface Listed {
  readonly workflow: Static<typeof workflow>
  readonly states: WorkflowStateRow[]
}

export const workflowStatesList = defineTool({
  name: 'workflow_states_list',
  class: 'R',
  title: 'List workflow states',
  summary: 'Lists the states of one project, or of all your workflows, in display order.',
  rank: 190,
  input: Type.Object(
    { project_key: Type.Optional(projectKey('Only the workflow of this project.')) },
    { additionalProperties: false },
  ),
  output: Type.Object({ states: Type.Array(workflowState), workflows: Type.Array(workflow) }),
  rows: 'states',
  async run(ctx, { project_key }) {
    const found = project_key === undefined ? await all(ctx) : [await ofProject(ctx, project_key)]
    return { states: found.flatMap(({ states }) => states), workflows: found.map(each => each.workflow) }
  },
})

async function ofProject(ctx: ReadContext, key: string): Promise<Listed> {
  const { rows } = await sql<ProjectRow & Listed>`
    select ${projectColumns(ctx, 'p')}, ${listed(ctx)}
    from projects.projects p join workflows.workflows w on w.owner_id = p.owner_id and w.id = ${projectWorkflow('p')}
    where ${keyIs(ctx, key)} limit 2
  `.execute(ctx.db)
  return oneProject(ctx, rows, key)
}

async function all(ctx: ReadContext): Promise<readonly Listed[]> {
  const own = sql`w.owner_id = ${ctx.actor.userId}`
  const { rows } = await sql<Listed>`
    select ${listed(ctx)} from workflows.workflows w where ${workflowVisible(ctx, 'w')} order by ${own} desc, w.is_system desc, w.name_key, w.id
  `.execute(ctx.db)
  return rows
}

function listed(ctx: ReadContext): RawBuilder<Listed> {
  return sql`
    jsonb_build_object('id', w.id, 'name', w.name, 'is_system', w.is_system, 'editable', w.owner_id = ${ctx.actor.userId} and not w.is_system,
      'enforce_transitions', w.enforce_transitions, 'updated_at', ${iso('w.updated_at')}, 'project_keys', coalesce((
        select jsonb_agg(${keyColumn(ctx, 'k')} order by k.is_inbox desc, k.key) from projects.projects k
        where k.owner_id = w.owner_id and k.archived_at is null and ${visible(ctx, 'k', 'id')} and ${projectWorkflow('k')} = w.id), '[]')) as workflow,
    ${statesOf(sql.ref('w.owner_id'), sql.ref('w.id'))} as states`
}
