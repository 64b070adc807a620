import { nameKey, sql, type RawBuilder, type WriteContext } from 'tasuki/plugin'
import type { WorkflowStateRow } from './state.ts'
import type { TransitionRow } from './transition.ts'

export type NewState = WorkflowStateRow & { readonly owner_id: string }
export type NewTransition = Omit<TransitionRow, 'from_state' | 'to_state' | 'workflow'> & { readonly owner_id: string }

/** Inserts states of any number of workflows in one statement. */
export async function insertStates(ctx: WriteContext, states: readonly NewState[]): Promise<void> {
  if (states.length === 0) return
  const rows = JSON.stringify(states.map(state => ({ ...state, name_key: nameKey(state.name) })))
  await sql`
    insert into workflows.states (owner_id, id, workflow_id, name, name_key, description, system_status, category, status_attribute, color_hex, is_default, display_order)
    select owner_id, id, workflow_id, name, name_key, description, system_status, category, status_attribute, color_hex, is_default, display_order
    from jsonb_to_recordset(${rows}::jsonb) as s (owner_id uuid, id uuid, workflow_id uuid, name text, name_key text, description text,
      system_status text, category text, status_attribute text, color_hex text, is_default boolean, display_order int)
  `.execute(ctx.db)
}

/** Inserts transitions of any number of workflows in one statement. */
export async function insertTransitions(ctx: WriteContext, transitions: readonly NewTransition[]): Promise<void> {
  if (transitions.length === 0) return
  await sql`
    insert into workflows.transitions (owner_id, id, workflow_id, from_state_id, to_state_id, kind, is_default_next)
    select owner_id, id, workflow_id, from_state_id, to_state_id, kind, is_default_next
    from jsonb_to_recordset(${JSON.stringify(transitions)}::jsonb) as t (owner_id uuid, id uuid, workflow_id uuid, from_state_id uuid, to_state_id uuid,
      kind text, is_default_next boolean)
  `.execute(ctx.db)
}

/** Notes, as the first part of a statement, that a workflow changed: `with touched as (…)`. */
export function touching(
  ctx: WriteContext,
  { ownerId, id }: { readonly ownerId: string; readonly id: string },
): RawBuilder<unknown> {
  return sql`with touched as (update workflows.workflows set updated_at = ${ctx.now} where owner_id = ${ownerId} and id = ${id})`
}
