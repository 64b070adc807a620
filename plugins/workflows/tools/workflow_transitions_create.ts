import { defineTool, nullable, quoteName, reference, ToolError, Type, uuid } from 'tasuki/plugin'
import { demoteDefaultNext } from '../edit-transition.ts'
import { requireState, requireWorkflowDetail, workflowId } from '../find.ts'
import { insertTransitions } from '../transition.repository.ts'
import {
  checkDefaultNext,
  isDefaultNext,
  kindProblem,
  transitionKind,
  quoteTransition,
  transitionLabel,
  transitionResult,
} from '../transition.ts'
import type { TransitionRow } from '../transition.ts'
import { touchWorkflow } from '../workflow.repository.ts'
import { recordWorkflowChange } from '../write.ts'

const state = reference('Id or name.')
const FIELDS = ['from_state_id', 'to_state_id', 'kind', 'is_default_next'] as const

export const workflowTransitionsCreate = defineTool({
  name: 'workflow_transitions_create',
  class: 'W',
  group: 'workflow_transitions',
  title: 'Create workflow transition',
  summary: 'Adds a transition between two states of a workflow of yours.',
  rank: 1080,
  input: {
    workflow_id: workflowId,
    from_state_id: Type.Optional(nullable(state, { description: 'null = entry, where items come in.' })),
    to_state_id: state,
    kind: transitionKind,
    is_default_next: Type.Optional(isDefaultNext),
  },
  output: transitionResult,
  async run(ctx, { workflow_id, from_state_id = null, to_state_id, kind, is_default_next = false }) {
    const workflow = await requireWorkflowDetail(ctx, workflow_id, { edit: true, lock: true })
    checkDefaultNext(kind, is_default_next)
    const from = from_state_id === null ? null : await requireState(ctx, workflow, from_state_id, 'from_state_id')
    const to = await requireState(ctx, workflow, to_state_id, 'to_state_id')
    if (from?.id === to.id) {
      const message = `A transition cannot lead from ${quoteName(from.name)} to itself.`
      throw new ToolError('invalid_argument', message, { field: 'to_state_id' })
    }
    const problem = kindProblem(kind, from, to)
    if (problem) throw problem
    const ends = { from_state_id: from?.id ?? null, to_state_id: to.id }
    const row = { id: uuid(), workflow_id: workflow.id, ...ends, kind, is_default_next }
    const names = { workflow: workflow.name, ...(from && { from_state: from.name }), to_state: to.name }
    const transition: TransitionRow = { ...row, ...names }
    const same = workflow.transitions.find(
      each => each.from_state_id === row.from_state_id && each.to_state_id === to.id,
    )
    if (same) {
      const message = `The transition ${quoteTransition(same)} exists already, with kind ${same.kind}.`
      const hint = 'Change it with workflow_transitions_update.'
      throw new ToolError('conflict', message, { hint, details: { transition_id: same.id } })
    }
    const warnings = is_default_next ? await demoteDefaultNext(ctx, workflow, transition) : []
    await insertTransitions(ctx, [{ ...row, owner_id: workflow.ownerId }])
    await touchWorkflow(ctx, workflow)
    await recordWorkflowChange(ctx, workflow, {
      kind: 'workflow.transition.created',
      of: { id: transition.id, name: transitionLabel(transition) },
      after: transition,
      changed: ['kind', 'is_default_next'],
    })
    const changed = FIELDS.filter(field => row[field] !== null)
    return { transition, changed, ...(warnings.length > 0 && { warnings }) }
  },
})
