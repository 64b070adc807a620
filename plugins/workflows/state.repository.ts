import { insertRecords, iso, nameKey, sql, updateRecords, updateWhere } from 'tasuki/plugin'
import type { OwnedKey, RawBuilder, ReadContext, RowChanges, Static, WriteContext } from 'tasuki/plugin'
import { keyColumn, readWithProject, visible } from '../projects/index.ts'
import { readId, workflowState, type listedWorkflow, type WorkflowStateRow } from './state.ts'
import { ownFirst, projectWorkflow, workflowVisible } from './visibility.repository.ts'
import { withTouch } from './workflow.repository.ts'

const workflowName =
  '(select sw.name from workflows.workflows sw where sw.owner_id = ws.owner_id and sw.id = ws.workflow_id)'
const stateFields = Object.keys(workflowState.properties).map(
  name => `'${name}', ${name === 'workflow' ? workflowName : `ws.${name}`}`,
)
/** A jsonb object of the shape `WorkflowStateRow`, from `workflows.states ws`. */
const stateJson = sql.raw<WorkflowStateRow>(`jsonb_strip_nulls(jsonb_build_object(${stateFields.join(', ')}))`)

/** Returns SQL for a jsonb array of `WorkflowStateRow`: the active states of a workflow in display order. */
export function statesOf(owner: RawBuilder<string>, workflow: RawBuilder<string>): RawBuilder<WorkflowStateRow[]> {
  return sql<WorkflowStateRow[]>`(
    select coalesce(jsonb_agg(${stateJson} order by ws.display_order, ws.id), '[]') from workflows.states ws
    where ws.owner_id = ${owner} and ws.workflow_id = ${workflow} and ws.archived_at is null)`
}

/** Returns SQL for the id of a workflow's initial state: its default state, else its first open one. */
export function defaultState(owner: RawBuilder<string>, workflow: RawBuilder<string>): RawBuilder<string> {
  return sql<string>`(
    select ds.id from workflows.states ds
    where ds.owner_id = ${owner} and ds.workflow_id = ${workflow} and ds.archived_at is null and ds.system_status = 'open'
    order by ds.is_default desc, ds.display_order, ds.id limit 1)`
}

/** A workflow with its states as workflow_states_list returns it. */
interface ListedWorkflow {
  readonly workflow: Static<typeof listedWorkflow>
  readonly states: WorkflowStateRow[]
}

function listColumns(ctx: ReadContext) {
  const workflow = sql<
    ListedWorkflow['workflow']
  >`jsonb_build_object('id', w.id, 'name', w.name, 'is_system', w.is_system, 'editable', w.owner_id = ${ctx.actor.userId} and not w.is_system,
      'enforce_transitions', w.enforce_transitions, 'updated_at', ${iso('w.updated_at')}, 'project_keys', coalesce((
        select jsonb_agg(${keyColumn(ctx, 'k')} order by k.is_inbox desc, k.key) from projects.projects k
        where k.owner_id = w.owner_id and k.archived_at is null and ${visible(ctx, 'k', 'id')} and ${projectWorkflow('k')} = w.id), '[]'))`
  return [workflow.as('workflow'), statesOf(sql.ref('w.owner_id'), sql.ref('w.id')).as('states')] as const
}

/** Reads the workflow of a project. @throws ToolError not_found, ambiguous_ref */
export function readWorkflowByKey(ctx: ReadContext, key: string): Promise<ListedWorkflow> {
  const joins = sql`join workflows.workflows w on w.owner_id = p.owner_id and w.id = ${projectWorkflow('p')}`
  return readWithProject<ListedWorkflow>(ctx, key, sql.join(listColumns(ctx)), { joins })
}

/** Reads the workflows that the caller may see, own ones first. */
export async function readWorkflows(ctx: ReadContext): Promise<readonly ListedWorkflow[]> {
  return ctx.db
    .selectFrom('workflows.workflows as w')
    .select(listColumns(ctx))
    .where(workflowVisible(ctx))
    .orderBy(ownFirst(ctx))
    .execute()
}

/** Reads the states of two workflows of an owner. */
export async function readStatesOfBoth(ctx: ReadContext, ownerId: string, from: string, to: string) {
  const states = (workflow: string) => statesOf(sql.val(ownerId), sql.val(workflow))
  return ctx.db.selectNoFrom([states(from).as('from'), states(to).as('to')]).executeTakeFirstOrThrow()
}

/** Finds a state by id in the workflows that the caller may see. */
export function findStateName(ctx: ReadContext, text: string) {
  const id = readId(text)
  if (id === null) return Promise.resolve(undefined)
  return ctx.db
    .selectFrom('workflows.states as s')
    .innerJoin('workflows.workflows as w', join =>
      join.onRef('w.owner_id', '=', 's.owner_id').onRef('w.id', '=', 's.workflow_id'),
    )
    .select(['s.name as state', 'w.name as workflow'])
    .where('s.id', '=', id)
    .where('s.archived_at', 'is', null)
    .where(workflowVisible(ctx))
    .executeTakeFirst()
}

export type NewState = WorkflowStateRow & { readonly owner_id: string }

/** Inserts states of any number of workflows in one statement. */
export async function insertStates(ctx: WriteContext, states: readonly NewState[]): Promise<void> {
  if (states.length === 0) return
  const rows = states.map(({ workflow: _name, ...state }) => ({ ...state, name_key: nameKey(state.name) }))
  await insertRecords(ctx.db, 'workflows.states', rows).execute()
}

/** Updates a state and the time of its workflow. */
export async function updateState(
  ctx: WriteContext,
  workflow: OwnedKey,
  id: string,
  changes: RowChanges<'workflows.states'>,
): Promise<void> {
  await updateWhere(withTouch(ctx, workflow), 'workflows.states', { owner_id: workflow.ownerId, id }, changes)
}

/** Updates the display order of states and the time of their workflow. */
export async function updateOrder(
  ctx: WriteContext,
  workflow: OwnedKey,
  states: readonly Pick<WorkflowStateRow, 'id' | 'display_order'>[],
): Promise<void> {
  const rows = states.map(({ id, display_order }) => ({ owner_id: workflow.ownerId, id, display_order }))
  await updateRecords(withTouch(ctx, workflow), 'workflows.states', ['owner_id', 'id'], rows)
}
