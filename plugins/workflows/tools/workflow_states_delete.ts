import { defineTool, formatCount, quoteName, ToolError, Type, type ReadContext } from 'tasuki/plugin'
import { refuseArchiving, usesOf } from '../edit-state.ts'
import { requireState, requireWorkflowDetail, stateId, workflowId, type WorkflowDetail } from '../find.ts'
import { updateState } from '../state.repository.ts'
import type { WorkflowStateRow } from '../state.ts'
import { deleteTransitionsOf } from '../transition.repository.ts'
import { recordWorkflowChange } from '../write.ts'

export const workflowStatesDelete = defineTool({
  name: 'workflow_states_delete',
  class: 'WD',
  title: 'Delete workflow state',
  summary: 'Deletes a state that no item uses, with its transitions.',
  rank: 1070,
  input: { workflow_id: workflowId, state_id: stateId },
  output: { deleted: Type.Boolean(), id: Type.String(), name: Type.String(), transitions_removed: Type.Integer() },
  async confirm(ctx, { workflow_id, state_id }) {
    const workflow = await requireWorkflowDetail(ctx, workflow_id, { edit: true })
    const state = await requireDeletable(ctx, workflow, state_id)
    await refuseIfUsed(ctx, workflow, state)
    const count = countTransitions(workflow, state)
    const removed = count === 0 ? '' : ` and remove its ${formatCount(count, 'transition')}`
    return `Archive the state ${quoteName(state.name)} of the workflow ${quoteName(workflow.name)}${removed}`
  },
  async run(ctx, { workflow_id, state_id }) {
    const workflow = await requireWorkflowDetail(ctx, workflow_id, { edit: true, lock: true })
    const state = await requireDeletable(ctx, workflow, state_id)
    await refuseIfUsed(ctx, workflow, state)
    await updateState(ctx, workflow, state.id, { archived_at: ctx.now, is_default: false })
    await deleteTransitionsOf(ctx, workflow.ownerId, state.id)
    await recordWorkflowChange(ctx, workflow, { kind: 'workflow.state.deleted', of: state, before: state })
    return { deleted: true, id: state.id, name: state.name, transitions_removed: countTransitions(workflow, state) }
  },
})

async function requireDeletable(ctx: ReadContext, workflow: WorkflowDetail, text: string): Promise<WorkflowStateRow> {
  const state = await requireState(ctx, workflow, text)
  const reason = refuseArchiving(workflow, state)
  if (reason) throw reason
  return state
}

function countTransitions({ transitions }: WorkflowDetail, { id }: WorkflowStateRow): number {
  return transitions.filter(({ from_state_id, to_state_id }) => from_state_id === id || to_state_id === id).length
}

async function refuseIfUsed(
  ctx: ReadContext,
  { ownerId }: WorkflowDetail,
  { id, name }: WorkflowStateRow,
): Promise<void> {
  const uses = await usesOf(ctx, ownerId, id)
  if (uses.length === 0) return
  const details = {
    count: uses.reduce((sum, { count }) => sum + count, 0),
    uses: uses.map(({ count, text }) => ({ count, text })),
  }
  const message = `The state ${quoteName(name)} is used by ${uses.map(({ text }) => text).join(' and ')}.`
  throw new ToolError('in_use', message, { field: 'state_id', hint: 'Move them to another state first.', details })
}
