import { quoteName, ToolError, type ReadContext, type WriteContext } from 'tasuki/plugin'
import { finalState, findStateName, resolveState, type WorkflowStateRow } from '../workflows/index.ts'
import type { Draft } from './draft.ts'
import { workflowsOf, type ItemWorkflow } from './item-workflow.repository.ts'
import { collectProblems } from './refusals.ts'

/** Sets the state of drafts by id or name, each within its own workflow; errors become problems of the drafts. */
export async function moveItems(
  ctx: ReadContext,
  drafts: readonly Draft[],
  text: string,
  { lock }: { readonly lock: boolean },
): Promise<void> {
  if (drafts.length === 0) return
  const workflows = await workflowsOf(ctx, drafts, { lock })
  const known = [...workflows.values()].some(({ states }) => resolveState(states, text))
  const elsewhere = known ? null : await describeForeignState(ctx, text)
  for (const draft of drafts) {
    await collectProblems(draft, () => {
      const workflow = workflows.get(draft.workflowId)!
      const state = resolveState(workflow.states, text)
      if (!state) throw stateMissing(draft, workflow, elsewhere ?? findForeignState(workflows, text) ?? quoteName(text))
      checkTransition(draft, workflow, state)
      moveTo(draft, state, ctx.now)
    })
  }
}

/** Moves the drafts to the closed state that completion uses; without a closed state in its workflow, a draft gets a problem. */
export async function completeItems(
  ctx: WriteContext,
  drafts: readonly Draft[],
  attribute: 'done' | 'wontfix' = 'done',
): Promise<void> {
  if (drafts.length === 0) return
  const workflows = await workflowsOf(ctx, drafts, { lock: true })
  for (const draft of drafts) {
    const workflow = workflows.get(draft.workflowId)!
    const state = finalState(workflow.states, attribute)
    if (state) moveTo(draft, state, ctx.now)
    else draft.problems.push(endlessError(draft, workflow))
  }
}

function endlessError({ ref }: Draft, { name }: ItemWorkflow): ToolError {
  return new ToolError('workflow_mismatch', `The workflow ${quoteName(name)} of ${ref} has no closed state.`, {
    hint: 'The owner of the workflow adds one; workflow_states_create does it.',
  })
}

function stateMissing({ ref }: Draft, { name, states }: ItemWorkflow, wanted: string): ToolError {
  return new ToolError('workflow_mismatch', `The workflow ${quoteName(name)} of ${ref} has no state ${wanted}.`, {
    field: 'status_definition_id',
    allowed: states.map(state => state.name),
    hint: 'Give one of the allowed names; workflow_states_list shows their ids.',
  })
}

/** Names a state that only workflows of other items in the call have. */
function findForeignState(workflows: ReadonlyMap<string, ItemWorkflow>, text: string): string | null {
  for (const { states, name } of workflows.values()) {
    const state = resolveState(states, text)
    if (state) return `${quoteName(state.name)} of the workflow ${quoteName(name)}`
  }
  return null
}

/** Names a state by its id that none of the items' workflows has. */
async function describeForeignState(ctx: ReadContext, text: string): Promise<string | null> {
  const state = await findStateName(ctx, text)
  return state ? `${quoteName(state.state)} of the workflow ${quoteName(state.workflow)}` : null
}

/** Rejects a transition that the workflow does not define, if it enforces transitions. @throws ToolError transition_not_allowed */
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

/** An item is completed if and only if its state is closed; a change between closed states keeps the completion time. */
function moveTo(draft: Draft, to: WorkflowStateRow, now: Date): void {
  const before = draft.before!
  if (before.stateId === to.id) return
  draft.after.stateId = to.id
  draft.after.completedAt = to.system_status === 'open' ? null : (before.completedAt ?? now.toISOString())
  draft.change('status', before.state.name, to.name)
}
