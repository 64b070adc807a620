import { callTool, type WriteContext } from 'tasuki/plugin'
import { fields, mergeShown, shownValues, type UserVisit } from '../../portal/index.ts'
import { stateName } from '../../workflows/index.ts'
import { requireItem } from '../find.ts'
import { itemsMoveState } from '../tools/items_move_state.ts'

/** Fields of the forms that move an item to another state. */
export const stateFields = { status_definition_id: fields.text({ max: 80 }), shown: shownValues() }

/** Moves an item. @throws Refusal if it was moved elsewhere since the page was shown */
export async function moveShownItem(
  ctx: WriteContext,
  visit: UserVisit,
  ref: string,
  {
    status_definition_id,
    shown,
  }: { readonly status_definition_id: string; readonly shown: Readonly<Record<string, string>> },
): Promise<{ readonly warnings?: readonly string[] }> {
  const { state } = await requireItem(ctx, ref, { write: true, lock: 'with workflows' })
  const values = { shown, stored: { status_definition_id: state.id }, entered: { status_definition_id } }
  const entered = mergeShown(visit, values, () => stateName(visit.language, state.name))
  return callTool(itemsMoveState, ctx, { item_ref: ref, ...entered })
}
