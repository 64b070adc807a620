import { quoteName, ToolError, type ReadContext, type WriteContext } from 'tasuki/plugin'
import { finalState, resolveState, type WorkflowStateRow } from '../workflows/index.ts'
import type { Draft } from './draft.ts'
import { findStateById, workflowsOf, type ItemWorkflow } from './item-workflow.repository.ts'
import { collect } from './refusals.ts'

/** Puts the drafts into the state of that id or name, each within its own workflow; what refuses one goes to its problems. */
export async function moveItems(
  ctx: ReadContext,
  drafts: readonly Draft[],
  text: string,
  { lock }: { readonly lock: boolean },
): Promise<void> {
  if (drafts.length === 0) return
  const workflows = await workflowsOf(ctx, drafts, lock)
  const known = [...workflows.values()].some(({ states }) => resolveState(states, text))
  const elsewhere = known ? null : await stateElsewhere(ctx, text)
  for (const draft of drafts) {
    await collect(draft, () => {
      const workflow = workflows.get(draft.workflowId)!
      const state = resolveState(workflow.states, text)
      if (!state) throw lacking(draft, workflow, elsewhere ?? foreignName(workflows, text) ?? quoteName(text))
      checkTransition(draft, workflow, state)
      moveTo(draft, state, ctx.now)
    })
  }
}

/** Puts the drafts into the states that completing means; one whose workflow has no closed state gets a problem. */
export async function completeItems(
  ctx: WriteContext,
  drafts: readonly Draft[],
  attribute: 'done' | 'wontfix' = 'done',
): Promise<void> {
  if (drafts.length === 0) return
  const workflows = await workflowsOf(ctx, drafts, true)
  for (const draft of drafts) {
    const workflow = workflows.get(draft.workflowId)!
    const state = finalState(workflow.states, attribute)
    if (state) moveTo(draft, state, ctx.now)
    else draft.problems.push(endless(draft, workflow))
  }
}

function endless({ ref }: Draft, { name }: ItemWorkflow): ToolError {
  return new ToolError('workflow_mismatch', `The workflow ${quoteName(name)} of ${ref} has no closed state.`, {
    hint: 'The owner of the workflow adds one; workflow_states_create does it.',
  })
}

function lacking(draft: Draft, workflow: ItemWorkflow, wanted: string): ToolError {
  return new ToolError(
    'workflow_mismatch',
    `The workflow ${quoteName(workflow.name)} of ${draft.ref} has no state ${wanted}.`,
    {
      field: 'status_definition_id',
      allowed: workflow.states.map(({ name }) => name),
      hint: 'Give one of the allowed names; workflow_states_list shows their ids.',
    },
  )
}

/** The name of a state that only workflows of other items of the call have. */
function foreignName(workflows: ReadonlyMap<string, ItemWorkflow>, text: string): string | null {
  for (const { states, name } of workflows.values()) {
    const state = resolveState(states, text)
    if (state) return `${quoteName(state.name)} of the workflow ${quoteName(name)}`
  }
  return null
}

/** The name of a state that none of the items' workflows has, where its id was given. */
async function stateElsewhere(ctx: ReadContext, text: string): Promise<string | null> {
  const state = await findStateById(ctx, text.trim().toLowerCase())
  return state ? `${quoteName(state.name)} of the workflow ${quoteName(state.workflow)}` : null
}

/** Refuses a move that the workflow does not define, where it enforces its transitions. @throws ToolError transition_not_allowed */
function checkTransition(draft: Draft, workflow: ItemWorkflow, to: WorkflowStateRow): void {
  const from = draft.before!.state
  if (!workflow.enforce || from.id === to.id) return
  const leaving = workflow.transitions.filter(transition => transition.from_state_id === from.id)
  if (leaving.some(transition => transition.to_state_id === to.id)) return
  throw new ToolError(
    'transition_not_allowed',
    `The workflow ${quoteName(workflow.name)} has no transition from ${quoteName(from.name)} to ${quoteName(to.name)}, and ${draft.ref} is in ${quoteName(from.name)}.`,
    {
      field: 'status_definition_id',
      allowed: leaving.map(transition => transition.to_state),
      hint:
        leaving.length > 0
          ? 'Move it to one of the allowed states first.'
          : 'items_complete completes it whatever the transitions.',
    },
  )
}

/** An item is completed exactly while its state is closed; one that goes from closed to closed keeps its first time. */
function moveTo(draft: Draft, to: WorkflowStateRow, now: Date): void {
  const before = draft.before!
  if (before.stateId === to.id) return
  draft.after.stateId = to.id
  draft.after.completedAt = to.system_status === 'open' ? null : (before.completedAt ?? now.toISOString())
  draft.change('status', before.state.name, to.name)
}
