import { defineTool, nothingToChange, quoteName, reference, requireUnchanged, Type } from 'tasuki/plugin'
import { requireWorkflow, updateWorkflow } from '../../workflows/index.ts'
import { requireWholeAccount } from '../whole-account.ts'

export const workflowsUpdate = defineTool({
  name: 'workflows_update',
  class: 'W',
  title: 'Update workflow',
  summary:
    'Renames a workflow of yours, or lets items move along its defined transitions only. States and transitions have tools of their own.',
  rank: 1172,
  input: {
    workflow_id: reference('Id or name.'),
    name: Type.Optional(
      Type.String({ minLength: 1, maxLength: 80, description: 'Name, unique among your workflows.' }),
    ),
    enforce_transitions: Type.Optional(
      Type.Boolean({ description: 'True = only defined transitions; false = to any state.' }),
    ),
  },
  output: {
    workflow: Type.Object({ id: Type.String(), name: Type.String(), enforce_transitions: Type.Boolean() }),
    changed: Type.Array(Type.String()),
  },
  async run(ctx, { workflow_id, name, enforce_transitions: enforceTransitions }) {
    if (name === undefined && enforceTransitions === undefined)
      throw nothingToChange('Give name or enforce_transitions.')
    requireWholeAccount(ctx, 'change workflows')
    const before = await requireWorkflow(ctx, workflow_id, { edit: true, lock: true })
    requireUnchanged(ctx, `The workflow ${quoteName(before.name)}`, { updated_at: before.updatedAt, name: before.name })
    const { workflow, changed } = await updateWorkflow(ctx, before, { name, enforceTransitions })
    const { id, name: storedName, enforceTransitions: enforced } = workflow
    return { workflow: { id, name: storedName, enforce_transitions: enforced }, changed: [...changed] }
  },
})
