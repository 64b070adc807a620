import { nameKey, quoteName, reference, ToolError, type WriteContext } from 'tasuki/plugin'
import type { WorkflowDetail } from './find.ts'
import { updateTransitions } from './transition.repository.ts'
import { quoteTransition, transitionLabel, type TransitionRow } from './transition.ts'

/** The `transition_id` parameter. */
export const transitionId = reference('Id, or From → To.')

/** Finds a transition of a workflow by id, or by its states as `From → To`. @throws ToolError not_found, ambiguous_ref */
export function requireTransition({ name, transitions }: WorkflowDetail, text: string): TransitionRow {
  const [key, field] = [labelKey(text), 'transition_id']
  const byId = transitions.find(transition => transition.id === key)
  const found = byId ? [byId] : transitions.filter(transition => labelKey(transitionLabel(transition)) === key)
  if (found[0] && found.length === 1) return found[0]
  if (found.length > 1) {
    const message = `The workflow ${quoteName(name)} has ${found.length} transitions ${quoteName(text)}.`
    const allowed = found.map(({ id }) => id)
    throw new ToolError('ambiguous_ref', message, { field, allowed, hint: 'Give the id of one of them.' })
  }
  throw new ToolError('not_found', `The workflow ${quoteName(name)} has no transition ${quoteName(text)}.`, {
    field,
    allowed: transitions.map(transitionLabel),
    hint: 'Write its states as From → To, or give the id that workflow_transitions_list shows.',
  })
}

/** Normalizes a label for comparison: ignores case, width and the form of the arrow. */
function labelKey(label: string): string {
  return nameKey(label).replaceAll(/\s*(?:→|[-=]>)\s*/g, ' → ')
}

/** Clears the default flag of another transition from the same state. @returns warnings */
export async function demoteDefaultNext(
  ctx: WriteContext,
  workflow: WorkflowDetail,
  promoted: TransitionRow,
): Promise<string[]> {
  const former = workflow.transitions.find(
    each => each.is_default_next && each.from_state_id === promoted.from_state_id && each.id !== promoted.id,
  )
  if (!former) return []
  await updateTransitions(ctx, workflow, [former.id], { is_default_next: false })
  return [`${quoteTransition(former)} is no longer the default next.`]
}
