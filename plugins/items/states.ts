import { sql, ToolError, type ReadContext } from 'tasuki/plugin'
import { finalState, resolveState, statesOf, transitionsWhere, type TransitionRow, type WorkflowStateRow } from '../workflows/index.ts'
import type { Draft, ItemRow } from './draft.ts'

/** A workflow as writes of items need it. */
export interface ItemWorkflow {
  readonly id: string
  readonly name: string
  /** Only defined transitions may be taken. */
  readonly enforce: boolean
  readonly states: readonly WorkflowStateRow[]
  readonly transitions: readonly TransitionRow[]
}

/** Loads the workflows of items, by id, in one statement. */
export async function workflowsOf(ctx: ReadContext, items: readonly Pick<ItemRow, 'ownerId' | 'workflowId'>[]): Promise<ReadonlyMap<string, ItemWorkflow>> {
  if (items.length === 0) return new Map()
  const keys = new Map(items.map(item => [item.workflowId, sql`(${item.ownerId}::uuid, ${item.workflowId}::uuid)`]))
  const { rows } = await sql<ItemWorkflow>`
    select w.id, w.name, w.enforce_transitions as enforce, ${statesOf(sql`w.owner_id`, sql`w.id`)} as states,
      ${transitionsWhere(sql`t.owner_id = w.owner_id and t.workflow_id = w.id`)} as transitions
    from workflows.workflows w where (w.owner_id, w.id) in (${sql.join([...keys.values()])})
  `.execute(ctx.db)
  return new Map(rows.map(row => [row.id, row]))
}

/** Finds a state of the item's workflow by id or exact name. @throws ToolError workflow_mismatch */
export function requireItemState(draft: Pick<Draft, 'ref'>, workflow: ItemWorkflow, text: string): WorkflowStateRow {
  const state = resolveState(workflow.states, text)
  if (state) return state
  throw new ToolError('workflow_mismatch', `The workflow ${workflow.name} of ${draft.ref} has no state "${text}".`, {
    field: 'status_definition_id',
    allowed: workflow.states.map(({ name }) => name),
    hint: 'Give one of the allowed names, or an id from workflow_states_list.',
  })
}

/** Refuses a move that the workflow does not define, where it enforces its transitions. @throws ToolError transition_not_allowed */
export function checkTransition(draft: Draft, workflow: ItemWorkflow, to: WorkflowStateRow): void {
  const from = draft.before!.state
  if (!workflow.enforce || from.id === to.id) return
  const leaving = workflow.transitions.filter(transition => transition.from_state_id === from.id)
  if (leaving.some(transition => transition.to_state_id === to.id)) return
  throw new ToolError('transition_not_allowed', `The workflow ${workflow.name} has no transition from ${from.name} to ${to.name}.`, {
    field: 'status_definition_id',
    allowed: leaving.map(transition => transition.to_state),
    hint: leaving.length > 0 ? 'Move it to one of the allowed states first.' : 'items_complete completes it whatever the transitions.',
  })
}

/** The state that completing puts items in. @throws ToolError workflow_mismatch when the workflow has no closed state */
export function completion(workflow: ItemWorkflow): WorkflowStateRow {
  const state = finalState(workflow.states)
  if (state) return state
  throw new ToolError('workflow_mismatch', `The workflow ${workflow.name} has no closed state.`, { hint: 'Add one with workflow_states_create.' })
}

/** Puts the draft into a state. An item is completed exactly while its state is closed; a closed one keeps its first time. */
export function moveTo(draft: Draft, to: WorkflowStateRow, now: Date): void {
  const before = draft.before!
  if (before.stateId === to.id) return
  draft.after.stateId = to.id
  draft.after.completedAt = to.system_status === 'open' ? null : (before.completedAt ?? now.toISOString())
  draft.change('status', before.state.name, to.name)
}
