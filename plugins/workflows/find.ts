import {
  iso,
  isUuid,
  nameKey,
  type RawBuilder,
  type ReadContext,
  reference,
  requireUnchanged,
  sql,
  ToolError,
  type WriteContext,
} from 'tasuki/plugin'
import { access, visible } from '../projects/index.ts'
import { resolveState, stateJson, type WorkflowStateRow } from './state.ts'
import { transitionsWhere, type TransitionRow } from './transition.ts'

export interface WorkflowRow {
  readonly ownerId: string
  readonly id: string
  readonly name: string
  readonly isSystem: boolean
  readonly enforceTransitions: boolean
  readonly updatedAt: string
}
/** A workflow with its active states and its transitions, both in their order. */
export interface WorkflowDetail extends WorkflowRow {
  readonly states: readonly WorkflowStateRow[]
  readonly transitions: readonly TransitionRow[]
}

/** The text as an id in the form of the database; null when it is none. */
export function readId(text: string): string | null {
  const id = text.trim().toLowerCase()
  return isUuid(id) ? id : null
}

/** The `workflow_id` parameter of write tools. */
export const workflowId = reference('Id or name.')
/** The `state_id` parameter of write tools. */
export const stateId = reference('Id or name.')

/** Columns of `WorkflowRow`, from a table alias. */
export const workflowColumns = (alias: string): RawBuilder<WorkflowRow> =>
  sql`${sql.raw(
    `${alias}.owner_id as "ownerId", ${alias}.id, ${alias}.name, ${alias}.is_system as "isSystem", ${alias}.enforce_transitions as "enforceTransitions"`,
  )}, ${iso(`${alias}.updated_at`)} as "updatedAt"`

/** Id of the workflow of a project row: its own, else the system workflow of its owner. */
export function projectWorkflow(alias: string): RawBuilder<string> {
  return sql.raw(`coalesce(
    (select pw.workflow_id from workflows.project_workflows pw where pw.owner_id = ${alias}.owner_id and pw.project_id = ${alias}.id),
    (select sw.id from workflows.workflows sw where sw.owner_id = ${alias}.owner_id and sw.is_system))`)
}

/** jsonb array of `WorkflowStateRow`: the active states of a workflow in display order. */
export function statesOf(owner: RawBuilder<string>, workflow: RawBuilder<string>): RawBuilder<WorkflowStateRow[]> {
  return sql<WorkflowStateRow[]>`(
    select coalesce(jsonb_agg(${stateJson('ws')} order by ws.display_order, ws.id), '[]') from workflows.states ws
    where ws.owner_id = ${owner} and ws.workflow_id = ${workflow} and ws.archived_at is null)`
}

/** Id of the state in which items of a workflow start: its default state, else its first open one. */
export function defaultState(owner: RawBuilder<string>, workflow: RawBuilder<string>): RawBuilder<string> {
  return sql<string>`(
    select ds.id from workflows.states ds
    where ds.owner_id = ${owner} and ds.workflow_id = ${workflow} and ds.archived_at is null and ds.system_status = 'open'
    order by ds.is_default desc, ds.display_order, ds.id limit 1)`
}

/** Id of the state in which completed items of a workflow go: the first closed one with the attribute done, else the first closed one. */
export function completionState(owner: RawBuilder<string>, workflow: RawBuilder<string>): RawBuilder<string> {
  return sql<string>`(
    select cs.id from workflows.states cs
    where cs.owner_id = ${owner} and cs.workflow_id = ${workflow} and cs.archived_at is null and cs.system_status = 'closed'
    order by cs.status_attribute = 'done' desc, cs.display_order, cs.id limit 1)`
}

/** Condition on a workflow row: the caller's own, or that of a project that the caller may see. */
export function workflowVisible(ctx: ReadContext, alias: string): RawBuilder<boolean> {
  const { userId, projects } = ctx.actor
  const { shared } = access(ctx)
  const owner = sql.ref(`${alias}.owner_id`)
  const own = sql<boolean>`${owner} = ${userId}`
  if (projects === null && shared.length === 0) return own
  // Owners are named first, since every index leads with the owner.
  const owners = sql.join([...new Set([userId, ...shared.map(share => share.ownerId)])].map(id => sql`${id}::uuid`))
  const used = sql<boolean>`exists (
    select from projects.projects vp where vp.owner_id = ${owner} and ${visible(ctx, 'vp', 'id')} and ${projectWorkflow('vp')} = ${sql.ref(`${alias}.id`)})`
  return sql<boolean>`(${owner} in (${owners}) and ${projects === null ? sql`(${own} or ${used})` : used})`
}

export interface WorkflowDemand {
  /** The caller is going to change it: it must be their own and not the system's. */
  readonly edit?: boolean
  /** Lets one write at a time work on it; for write contexts only. */
  readonly lock?: boolean
  /** Name of the parameter, for errors; default workflow_id. */
  readonly field?: string
}

/** Finds a workflow by id, or one of the caller's by its exact name. @throws ToolError not_found, not_user_owned, forbidden, stale_write */
export async function requireWorkflow(
  ctx: ReadContext,
  text: string,
  demand: WorkflowDemand = {},
): Promise<WorkflowRow> {
  const { edit = false, lock = false, field = 'workflow_id' } = demand
  const id = readId(text)
  const named =
    id === null ? sql`w.owner_id = ${ctx.actor.userId} and w.name_key = ${nameKey(text)}` : sql`w.id = ${id}`
  const { rows } = await sql<WorkflowRow & { beyond: boolean }>`
    select ${workflowColumns('w')}, ${usedBeyond(ctx)} as beyond
    from workflows.workflows w where ${named} and ${workflowVisible(ctx, 'w')} ${lock ? sql`for update of w` : sql``}
  `.execute(ctx.db)
  const [row] = rows
  if (!row) throw await noSuchWorkflow(ctx, text, field)
  const { beyond, ...workflow } = row
  if (!edit) return workflow
  if (workflow.isSystem || workflow.ownerId !== ctx.actor.userId) throw notUserOwned(workflow, ctx.actor.userId, field)
  if (beyond) {
    throw new ToolError('forbidden', `${workflow.name} is also used by projects that this credential is not for.`, {
      field,
      hint: 'Use a credential that is not limited to some projects.',
    })
  }
  return workflow
}

/** A workflow with states and transitions. With `lock` they are read after the lock was taken, so that they are the latest. */
export async function requireWorkflowDetail(
  ctx: ReadContext,
  text: string,
  demand: WorkflowDemand = {},
): Promise<WorkflowDetail> {
  const workflow = await requireWorkflow(ctx, text, demand)
  const parts = await workflowParts(ctx, workflow)
  if (demand.edit)
    requireUnchanged(ctx, `The workflow ${workflow.name}`, { updated_at: workflow.updatedAt, states: parts.states })
  return { ...workflow, ...parts }
}

/**
 * Waits for edits of workflows and holds off new ones until the commit. Whoever puts a record into a state calls this first and reads the
 * states in a later statement; else the state may be deleted, or change its status, between the look and the write.
 */
export async function holdWorkflows(
  ctx: WriteContext,
  workflows: readonly { readonly ownerId: string; readonly workflowId: string }[],
): Promise<void> {
  if (workflows.length === 0) return
  const keys = new Map(workflows.map(each => [each.workflowId, sql`(${each.ownerId}::uuid, ${each.workflowId}::uuid)`]))
  await sql`
    select from workflows.workflows w where (w.owner_id, w.id) in (${sql.join([...keys.values()])}) order by w.id for share
  `.execute(ctx.db)
}

/** States and transitions of a workflow. */
export async function workflowParts(
  ctx: ReadContext,
  { ownerId, id }: Pick<WorkflowRow, 'ownerId' | 'id'>,
): Promise<Pick<WorkflowDetail, 'states' | 'transitions'>> {
  const { rows } = await sql<Pick<WorkflowDetail, 'states' | 'transitions'>>`
    select ${statesOf(sql`${ownerId}`, sql`${id}`)} as states,
      ${transitionsWhere(sql`t.owner_id = ${ownerId} and t.workflow_id = ${id}`)} as transitions
  `.execute(ctx.db)
  return rows[0]!
}

/** Finds a state of a workflow by id or exact name. @throws ToolError workflow_mismatch, not_found */
export async function requireState(
  ctx: ReadContext,
  workflow: WorkflowDetail,
  text: string,
  field = 'state_id',
): Promise<WorkflowStateRow> {
  const state = resolveState(workflow.states, text)
  if (state) return state
  const help = {
    field,
    allowed: workflow.states.map(({ name }) => name),
    hint: 'workflow_states_list shows states with their ids.',
  }
  const other = await workflowOfState(ctx, text)
  if (other === null) throw new ToolError('not_found', `The workflow ${workflow.name} has no state ${text}.`, help)
  throw new ToolError(
    'workflow_mismatch',
    `The state ${other.state} belongs to the workflow ${other.workflow}, not to ${workflow.name}.`,
    help,
  )
}

async function workflowOfState(ctx: ReadContext, text: string): Promise<{ state: string; workflow: string } | null> {
  const id = readId(text)
  if (id === null) return null
  const { rows } = await sql<{ state: string; workflow: string }>`
    select s.name as state, w.name as workflow from workflows.states s
    join workflows.workflows w on w.owner_id = s.owner_id and w.id = s.workflow_id
    where s.id = ${id} and s.archived_at is null and ${workflowVisible(ctx, 'w')}
  `.execute(ctx.db)
  return rows[0] ?? null
}

/** Whether projects outside a limited credential use the workflow `w`. */
function usedBeyond(ctx: ReadContext): RawBuilder<boolean> {
  const { projects } = ctx.actor
  if (projects === null || projects.length === 0) return sql<boolean>`false`
  const limits = sql.join(projects.map(id => sql`${id}::uuid`))
  return sql<boolean>`exists (
    select from projects.projects bp where bp.owner_id = w.owner_id and bp.id not in (${limits}) and ${projectWorkflow('bp')} = w.id)`
}

function notUserOwned({ name, ownerId }: WorkflowRow, userId: string, field: string): ToolError {
  return ownerId === userId
    ? new ToolError('not_user_owned', `The workflow ${name} is the system's and cannot be edited.`, {
        field,
        hint: 'Copy it in the portal or with: tasuki workflow copy <name>; then give the copy to the project.',
      })
    : new ToolError('not_user_owned', `The workflow ${name} belongs to another user.`, {
        field,
        hint: 'Its owner can edit it, and so change the states of the project that you share.',
      })
}

async function noSuchWorkflow(ctx: ReadContext, text: string, field: string): Promise<ToolError> {
  const { rows } = await sql<{ name: string }>`
    select w.name from workflows.workflows w
    where w.owner_id = ${ctx.actor.userId} and not w.is_system and ${workflowVisible(ctx, 'w')} order by w.name_key limit 20
  `.execute(ctx.db)
  const allowed = rows.map(({ name }) => name)
  const hint =
    allowed.length > 0
      ? 'workflow_states_list shows your workflows.'
      : 'You have none of your own yet: copy the system workflow in the portal or with: tasuki workflow copy <name>.'
  return new ToolError('not_found', `There is no workflow ${text}.`, { field, hint, allowed })
}
