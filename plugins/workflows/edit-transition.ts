import { reference, sql, ToolError, type WriteContext } from 'tasuki/plugin'
import type { WorkflowDetail } from './find.ts'
import { transitionLabel, type TransitionRow } from './transition.ts'

/** The `transition_id` parameter. */
export const transitionId = reference('From workflow_transitions_list.')

/** @throws ToolError not_found */
export function requireTransition({ name, transitions }: WorkflowDetail, text: string): TransitionRow {
  const id = text.trim().toLowerCase()
  const found = transitions.find(transition => transition.id === id)
  if (found) return found
  throw new ToolError('not_found', `The workflow ${name} has no transition ${text}.`, {
    field: 'transition_id',
    hint: 'workflow_transitions_list shows the transitions of a state with their ids.',
  })
}

/** Takes the default mark from the transition that has it among those of the same from state, if that is another one. @returns warnings */
export async function demoteDefaultNext(
  ctx: WriteContext,
  { ownerId, transitions }: WorkflowDetail,
  promoted: TransitionRow,
): Promise<string[]> {
  const former = transitions.find(
    each => each.is_default_next && each.from_state_id === promoted.from_state_id && each.id !== promoted.id,
  )
  if (!former) return []
  await sql`update workflows.transitions set is_default_next = false where owner_id = ${ownerId} and id = ${former.id}`.execute(
    ctx.db,
  )
  return [`${transitionLabel(former)} is no longer the default next.`]
}
