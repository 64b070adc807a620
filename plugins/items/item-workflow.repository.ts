import { allOf, compare, fixedPlan, isOneOf, nextUpdate, recordset, refersTo, sql } from 'tasuki/plugin'
import type { Condition, OwnedKey, ReadContext, WriteContext } from 'tasuki/plugin'
import { keyIs, projectColumns, type ProjectRow } from '../projects/index.ts'
import { defaultState, projectWorkflow, statesOf, transitionsWhere } from '../workflows/index.ts'
import type { TransitionRow, WorkflowStateRow } from '../workflows/index.ts'
import type { ItemChange, ItemRow } from './draft.ts'

/**
 * False when the workflow `w` was edited while the statement waited for its lock: the other columns were read before the edit. Statements
 * that assign states lock the workflow `for share`, so that no state is deleted in between.
 */
const settled = sql.raw<boolean>(`(
  w.xmin = (select same.xmin from workflows.workflows same where same.owner_id = w.owner_id and same.id = w.id))`)

const initialState = defaultState(sql.ref('w.owner_id'), sql.ref('w.id'))

/** The project and initial state of a new item. */
export interface Place extends ProjectRow {
  readonly stateId: string
  readonly workflowId: string
  /** False when the workflow was being edited. */
  readonly settled: boolean
}

/** Finds the projects that a key may name, with their initial states. Locks their workflows until the commit, so that the state exists. */
export async function findPlaceRows(ctx: WriteContext, key: string): Promise<readonly Place[]> {
  const { rows } = await sql<Place>`
    ${fixedPlan} select ${projectColumns(ctx, 'p')}, w.id as "workflowId", ${initialState} as "stateId", ${settled} as settled
    from projects.projects p join workflows.workflows w on w.owner_id = p.owner_id and w.id = ${projectWorkflow('p')}
    where ${keyIs(ctx, key)} limit 2 for share of w
  `.execute(ctx.db)
  return rows
}

/** The initial state of new items of a project. */
export type InitialState = Pick<Place, 'stateId' | 'workflowId'>

/** Finds the initial states of projects of any owners, by project id, in two statements. Locks their workflows until the commit. */
export async function findInitialStates(
  ctx: WriteContext,
  projects: readonly { readonly ownerId: string; readonly projectId: string }[],
): Promise<ReadonlyMap<string, InitialState>> {
  if (projects.length === 0) return new Map()
  const placed = sql`${recordset('n', { ownerId: 'uuid', projectId: 'uuid' }, projects)}
    join projects.projects p on p.owner_id = n."ownerId" and p.id = n."projectId"
    join workflows.workflows w on w.owner_id = p.owner_id and w.id = ${projectWorkflow('p')}`
  // The states are read in a second statement, because the first may have waited for an edit of the workflow.
  await sql`select from ${placed} order by w.owner_id, w.id for share of w`.execute(ctx.db)
  const { rows } = await sql<InitialState & { readonly projectId: string }>`
    select p.id as "projectId", w.id as "workflowId", ${initialState} as "stateId" from ${placed}
  `.execute(ctx.db)
  return new Map(rows.map(row => [row.projectId, row]))
}

/** A workflow with the columns that writes of items need. */
export interface ItemWorkflow {
  readonly id: string
  readonly name: string
  /** Only transitions that the workflow defines are allowed. */
  readonly enforce: boolean
  readonly states: readonly WorkflowStateRow[]
  readonly transitions: readonly TransitionRow[]
}

/** Loads the workflows of items by id, in one statement; `lock` blocks edits of them until the transaction ends. */
export function workflowsOf(
  ctx: ReadContext,
  items: readonly Pick<ItemRow, 'ownerId' | 'workflowId'>[],
  demand: { readonly lock: boolean },
): Promise<ReadonlyMap<string, ItemWorkflow>> {
  const keys = new Map(items.map(({ ownerId, workflowId }) => [workflowId, [ownerId, workflowId]]))
  return readWorkflows(ctx, isOneOf(['w.owner_id', 'w.id'], [...keys.values()]), demand)
}

/** Loads the workflow of a project, in one statement; `lock` blocks edits of it until the transaction ends. */
export async function workflowOf(ctx: ReadContext, project: OwnedKey, demand: { readonly lock: boolean }) {
  const workflowId = ctx.db
    .selectFrom('projects.projects as p')
    .select(projectWorkflow('p').as('id'))
    .where(({ and }) => and({ 'p.owner_id': project.ownerId, 'p.id': project.id }))
  const used = allOf([compare('w.owner_id', '=', project.ownerId), compare('w.id', '=', workflowId)])
  const [workflow] = (await readWorkflows(ctx, used, demand)).values()
  return workflow!
}

async function readWorkflows(ctx: ReadContext, which: Condition, { lock }: { readonly lock: boolean }) {
  const read = sql<ItemWorkflow & { readonly settled: boolean }>`
    select w.id, w.name, w.enforce_transitions as enforce, ${statesOf(sql.ref('w.owner_id'), sql.ref('w.id'))} as states,
      ${transitionsWhere(refersTo('t.workflow_id', 'w'))} as transitions, ${settled} as settled
    from workflows.workflows w where ${which}
    order by w.owner_id, w.id ${sql.raw(lock ? 'for share of w' : '')}`
  const first = await read.execute(ctx.db)
  const { rows } = first.rows.every(row => row.settled) ? first : await read.execute(ctx.db)
  return new Map(rows.map(row => [row.id, row]))
}

/** Counts the items in the given states. @param stateIds at least one */
export function countByState(ctx: ReadContext, ownerId: string, stateIds: readonly string[]) {
  return ctx.db
    .selectFrom('items.items as i')
    .select(({ fn, cast }) => ['i.state_id as stateId', cast<number>(fn.countAll(), 'integer').as('count')])
    .where('i.owner_id', '=', ownerId)
    .where('i.state_id', 'in', stateIds)
    .groupBy('i.state_id')
    .execute()
}

/** Moves items from the state `old` to the state `fresh`, which is closed or not. */
export interface StateMove {
  readonly old: string
  readonly fresh: string
  readonly closed: boolean
}

/** An item whose state changed its name or meaning. */
export interface MovedRow extends Pick<ItemChange, 'itemId' | 'projectId' | 'ref' | 'title'> {
  readonly from: string
  readonly to: string
  readonly wasCompleted: boolean
  readonly isCompleted: boolean
}

/** Moves the items of an owner, or of one project, to their new states with their times. @returns the items whose change is visible */
export async function followStates(
  ctx: WriteContext,
  ownerId: string,
  projectId: string | null,
  moves: readonly StateMove[],
): Promise<readonly MovedRow[]> {
  const { rows } = await sql<MovedRow>`
    with moving as (
      select i.id, i.completed_at is not null as completed, s.name, m.fresh, m.closed
      from ${recordset('m', { old: 'uuid', fresh: 'uuid', closed: 'boolean' }, moves)}
      join items.items i on i.owner_id = ${ownerId} and i.state_id = m.old
      join workflows.states s on s.owner_id = i.owner_id and s.id = i.state_id
      where ${projectId === null ? sql.lit(true) : compare('i.project_id', '=', projectId)} and (m.fresh <> m.old or (i.completed_at is not null) <> m.closed)
      order by i.id for no key update of i),
    moved as (
      update items.items i set updated_at = ${nextUpdate(ctx, 'i.updated_at')}, state_id = m.fresh,
        completed_at = case when m.closed then coalesce(i.completed_at, ${ctx.now}) end
      from moving m where i.owner_id = ${ownerId} and i.id = m.id
      returning i.id, i.owner_id, i.project_id, i.number, i.title, m.name, m.fresh, m.completed, m.closed)
    select i.id as "itemId", i.project_id as "projectId", p.key || '#' || i.number as ref, i.title, i.name as from, s.name as to,
      i.completed as "wasCompleted", i.closed as "isCompleted"
    from moved i join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
    join workflows.states s on s.owner_id = i.owner_id and s.id = i.fresh
    where i.name <> s.name or i.completed <> i.closed
    order by i.number
  `.execute(ctx.db)
  return rows
}
