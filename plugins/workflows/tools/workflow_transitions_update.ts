import { defineTool, Type } from 'tasuki/plugin'
import { demoteDefaultNext, requireTransition, transitionId } from '../edit-transition.ts'
import { requireWorkflowDetail, workflowId } from '../find.ts'
import { updateTransitions } from '../transition.repository.ts'
import {
  checkDefaultNext,
  isDefaultNext,
  kindProblem,
  transitionKind,
  transitionLabel,
  transitionResult,
} from '../transition.ts'
import type { TransitionRow } from '../transition.ts'
import { recordWorkflowChange } from '../write.ts'

export const workflowTransitionsUpdate = defineTool({
  name: 'workflow_transitions_update',
  class: 'W',
  group: 'workflow_transitions',
  title: 'Update workflow transition',
  summary: 'Changes kind or default mark of a transition.',
  rank: 1090,
  input: {
    workflow_id: workflowId,
    transition_id: transitionId,
    kind: Type.Optional(transitionKind),
    is_default_next: Type.Optional(isDefaultNext),
  },
  output: transitionResult,
  async run(ctx, { workflow_id, transition_id, kind, is_default_next }) {
    const workflow = await requireWorkflowDetail(ctx, workflow_id, { edit: true, lock: true })
    const before = requireTransition(workflow, transition_id)
    const after: TransitionRow = {
      ...before,
      kind: kind ?? before.kind,
      is_default_next: is_default_next ?? before.is_default_next,
    }
    checkDefaultNext(after.kind, after.is_default_next)
    const state = (id: string | null) => workflow.states.find(each => each.id === id) ?? null
    const problem = kindProblem(after.kind, state(after.from_state_id), state(after.to_state_id)!)
    if (problem) throw problem
    const changed = (['kind', 'is_default_next'] as const).filter(field => before[field] !== after[field])
    if (changed.length === 0) return { transition: after, changed }
    const warnings = after.is_default_next ? await demoteDefaultNext(ctx, workflow, after) : []
    await updateTransitions(ctx, workflow, [after.id], { kind: after.kind, is_default_next: after.is_default_next })
    await recordWorkflowChange(ctx, workflow, {
      kind: 'workflow.transition.changed',
      of: { id: after.id, name: transitionLabel(after) },
      before,
      after,
      changed,
    })
    return { transition: after, changed, ...(warnings.length > 0 && { warnings }) }
  },
})
