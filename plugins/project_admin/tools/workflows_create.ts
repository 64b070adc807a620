import { defineTool, reference, Type } from 'tasuki/plugin'
import { createWorkflow, requireWorkflow, requireWorkflowDetail, workflowState } from '../../workflows/index.ts'
import { requireWholeAccount } from '../whole-account.ts'

export const workflowsCreate = defineTool({
  name: 'workflows_create',
  class: 'W',
  title: 'Create workflow',
  summary:
    'Creates a workflow of yours as a copy of another, which can then be edited with the workflow_* tools. Give it to a project with projects_update.',
  rank: 1170,
  input: {
    name: Type.String({ minLength: 1, maxLength: 80, description: 'Name, unique among your workflows.' }),
    copy_of: Type.Optional(reference('Id or name; omitted = the system workflow.')),
  },
  output: {
    workflow: Type.Object({ id: Type.String(), name: Type.String(), states: Type.Array(workflowState) }),
    changed: Type.Array(Type.String()),
  },
  async run(ctx, { name, copy_of }) {
    requireWholeAccount(ctx, 'create workflows')
    const copyOf = copy_of === undefined ? undefined : await requireWorkflow(ctx, copy_of, { field: 'copy_of' })
    const created = await createWorkflow(ctx, ctx.actor.userId, { name, copyOf })
    const { id, name: storedName, states } = await requireWorkflowDetail(ctx, created.id)
    return { workflow: { id, name: storedName, states: [...states] }, changed: ['name', 'states'] }
  },
})
