import { defineTool, Type } from 'tasuki/plugin'
import { projectKey } from '../../projects/index.ts'
import { readWorkflows, readWorkflowByKey } from '../state.repository.ts'
import { listedWorkflow, workflowState } from '../state.ts'

export const workflowStatesList = defineTool({
  name: 'workflow_states_list',
  class: 'R',
  title: 'List workflow states',
  summary: 'Lists the states of one project, or of all your workflows, in display order.',
  rank: 190,
  input: { project_key: Type.Optional(projectKey('Only the workflow of this project.')) },
  output: { states: Type.Array(workflowState), workflows: Type.Array(listedWorkflow) },
  rows: 'states',
  async run(ctx, { project_key }) {
    const found = project_key === undefined ? await readWorkflows(ctx) : [await readWorkflowByKey(ctx, project_key)]
    return { states: found.flatMap(({ states }) => states), workflows: found.map(each => each.workflow) }
  },
})
