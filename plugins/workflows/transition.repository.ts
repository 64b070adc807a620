import { allOf, expressions, insertRecords, refersTo, sql, updateWhere } from 'tasuki/plugin'
import type { Condition, OwnedKey, RawBuilder, ReadContext, RowChanges, WriteContext } from 'tasuki/plugin'
import { statesOf } from './state.repository.ts'
import { readId } from './state.ts'
import type { TransitionRow } from './transition.ts'
import { ownFirst, workflowVisible } from './visibility.repository.ts'
import { withTouch } from './workflow.repository.ts'

const transition = expressions<{ t: 'workflows.transitions' }>()

/** Returns SQL for a jsonb array of the transitions that meet a condition on `t`, in the order of their states. */
export function transitionsWhere(condition: Condition): RawBuilder<TransitionRow[]> {
  return sql<TransitionRow[]>`(
    select coalesce(jsonb_agg(
      jsonb_strip_nulls(jsonb_build_object('id', t.id, 'workflow_id', t.workflow_id, 'workflow', tw.name, 'from_state', tf.name, 'to_state_id', t.to_state_id,
        'to_state', tt.name, 'kind', t.kind, 'is_default_next', t.is_default_next)) || jsonb_build_object('from_state_id', t.from_state_id)
      order by tf.display_order nulls first, t.is_default_next desc, tt.display_order, t.id), '[]')
    from workflows.transitions t
    join workflows.workflows tw on tw.owner_id = t.owner_id and tw.id = t.workflow_id
    join workflows.states tt on tt.owner_id = t.owner_id and tt.id = t.to_state_id
    left join workflows.states tf on tf.owner_id = t.owner_id and tf.id = t.from_state_id
    where ${condition})`
}

/** Reads the active states and the transitions of a workflow, both in order. */
export async function readParts(ctx: ReadContext, { ownerId, id }: OwnedKey) {
  const ofWorkflow = transition.and({ 't.owner_id': ownerId, 't.workflow_id': id })
  return ctx.db
    .selectNoFrom([
      statesOf(sql.val(ownerId), sql.val(id)).as('states'),
      transitionsWhere(ofWorkflow).as('transitions'),
    ])
    .executeTakeFirstOrThrow()
}

/** Reads the entry transitions of all workflows that the caller may see. */
export async function readEntries(ctx: ReadContext): Promise<TransitionRow[]> {
  const isEntry = allOf([refersTo('t.workflow_id', 'w'), transition('t.from_state_id', 'is', null)])
  const rows = await ctx.db
    .selectFrom('workflows.workflows as w')
    .select(transitionsWhere(isEntry).as('transitions'))
    .where(workflowVisible(ctx))
    .orderBy(ownFirst(ctx))
    .execute()
  return rows.flatMap(({ transitions }) => transitions)
}

/** Reads the states that an id or a name may mean, with their outgoing transitions. @param key id, or normalized name */
export async function readLeaving(ctx: ReadContext, key: string) {
  const id = readId(key)
  return ctx.db
    .selectFrom('workflows.workflows as w')
    .innerJoin('workflows.states as s', join =>
      join.onRef('s.owner_id', '=', 'w.owner_id').onRef('s.workflow_id', '=', 'w.id'),
    )
    .select(({ eb }) => [
      's.id',
      's.name as state',
      'w.name as workflow',
      eb('w.owner_id', '=', ctx.actor.userId).$castTo<boolean>().as('own'),
      transitionsWhere(refersTo('t.from_state_id', 's')).as('transitions'),
    ])
    .where(workflowVisible(ctx))
    .where('s.archived_at', 'is', null)
    .where(({ eb }) => (id === null ? eb('s.name_key', '=', key) : eb('s.id', '=', id)))
    .orderBy(ownFirst(ctx))
    .limit(20)
    .execute()
}

export type NewTransition = Omit<TransitionRow, 'from_state' | 'to_state' | 'workflow'> & { readonly owner_id: string }

/** Inserts transitions of any number of workflows in one statement. */
export async function insertTransitions(ctx: WriteContext, transitions: readonly NewTransition[]): Promise<void> {
  if (transitions.length === 0) return
  await insertRecords(ctx.db, 'workflows.transitions', transitions).execute()
}

/** Updates transitions and the time of their workflow. */
export async function updateTransitions(
  ctx: WriteContext,
  workflow: OwnedKey,
  ids: readonly string[],
  changes: RowChanges<'workflows.transitions'>,
): Promise<void> {
  const key = { owner_id: workflow.ownerId, id: ids }
  await updateWhere(withTouch(ctx, workflow), 'workflows.transitions', key, changes)
}

/** Deletes a transition and updates the time of its workflow. */
export async function deleteTransition(ctx: WriteContext, workflow: OwnedKey, id: string): Promise<void> {
  await withTouch(ctx, workflow)
    .deleteFrom('workflows.transitions')
    .where(({ and }) => and({ owner_id: workflow.ownerId, id }))
    .execute()
}

/** Deletes the transitions from and to a state. */
export async function deleteTransitionsOf(ctx: WriteContext, ownerId: string, stateId: string): Promise<void> {
  await ctx.db
    .deleteFrom('workflows.transitions')
    .where('owner_id', '=', ownerId)
    .where(({ or, eb }) => or([eb('from_state_id', '=', stateId), eb('to_state_id', '=', stateId)]))
    .execute()
}
