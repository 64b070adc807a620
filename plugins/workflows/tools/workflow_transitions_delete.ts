import { defineTool, quoteName, Type } from 'tasuki/plugin'
import { requireTransition, transitionId } from '../edit-transition.ts'
import { requireWorkflowDetail, workflowId } from '../find.ts'
import { deleteTransition } from '../transition.repository.ts'
import { quoteTransition, transitionLabel } from '../transition.ts'
import { recordWorkflowChange } from '../write.ts'

export const workflowTransitionsDelete = defineTool({
  name: 'workflow_transitions_delete',
  class: 'WD',
  group: 'workflow_transitions',
  title: 'Delete workflow transition',
  summary: 'Deletes a transition of a workflow of yours; its states stay.',
  rank: 1100,
  input: { workflow_id: workflowId, transition_id: transitionId },
  output: { deleted: Type.Boolean(), id: Type.String(), name: Type.String() },
  async confirm(ctx, { workflow_id, transition_id }) {
    const workflow = await requireWorkflowDetail(ctx, workflow_id, { edit: true })
    const transition = requireTransition(workflow, transition_id)
    return `Delete the transition ${quoteTransition(transition)} of the workflow ${quoteName(workflow.name)}`
  },
  async run(ctx, { workflow_id, transition_id }) {
    const workflow = await requireWorkflowDetail(ctx, workflow_id, { edit: true, lock: true })
    const transition = requireTransition(workflow, transition_id)
    await deleteTransition(ctx, workflow, transition.id)
    const name = transitionLabel(transition)
    await recordWorkflowChange(ctx, workflow, {
      kind: 'workflow.transition.deleted',
      of: { id: transition.id, name },
      before: transition,
      changed: ['kind', 'is_default_next'],
    })
    return { deleted: true, id: transition.id, name }
  },
})
