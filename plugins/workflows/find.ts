import { quoteName, reference, requireUnchanged, ToolError, type ReadContext } from 'tasuki/plugin'
import { findStateName } from './state.repository.ts'
import { resolveState, type WorkflowStateRow } from './state.ts'
import { readParts } from './transition.repository.ts'
import { findWorkflow, readOwnNames, type WorkflowRow } from './workflow.repository.ts'

/** A workflow with its active states and its transitions, both in order. */
export type WorkflowDetail = WorkflowRow & Awaited<ReturnType<typeof readParts>>

/** The `workflow_id` parameter of write tools. */
export const workflowId = reference('Id or name.')
/** The `state_id` parameter of write tools. */
export const stateId = reference('Id or name.')

export interface WorkflowDemand {
  /** The caller needs to edit the workflow: it must be their own, not the system workflow. */
  readonly edit?: boolean
  /** Locks the workflow for one write at a time; only in write contexts. */
  readonly lock?: boolean
  /** Parameter name for errors; default workflow_id. */
  readonly field?: string
}

/** Finds a workflow by id, or one of the caller's by exact name. @throws ToolError not_found, not_user_owned, forbidden, stale_write */
export async function requireWorkflow(
  ctx: ReadContext,
  text: string,
  demand: WorkflowDemand = {},
): Promise<WorkflowRow> {
  const { edit = false, lock = false, field = 'workflow_id' } = demand
  const row = await findWorkflow(ctx, text, lock)
  if (!row) throw await notFoundError(ctx, text, field)
  const { beyond, ...workflow } = row
  if (!edit) return workflow
  if (workflow.isSystem || workflow.ownerId !== ctx.actor.userId) throw notOwnedError(workflow, ctx.actor.userId, field)
  if (beyond) {
    const message = `${quoteName(workflow.name)} cannot be changed by a credential that is limited to projects.`
    const hint =
      'Give the project a workflow of its own: in the portal, copy this one and choose the copy for the project. Then change the copy.'
    throw new ToolError('forbidden', message, { field, hint })
  }
  return workflow
}

/** Finds a workflow with states and transitions. `lock` reads them after taking the lock, so that they are current. */
export async function requireWorkflowDetail(
  ctx: ReadContext,
  text: string,
  demand: WorkflowDemand = {},
): Promise<WorkflowDetail> {
  const workflow = await requireWorkflow(ctx, text, demand)
  const parts = await readParts(ctx, workflow)
  if (demand.edit)
    requireUnchanged(ctx, `The workflow ${quoteName(workflow.name)}`, {
      updated_at: workflow.updatedAt,
      states: parts.states,
    })
  return { ...workflow, ...parts }
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
  const other = await findStateName(ctx, text)
  if (!other)
    throw new ToolError('not_found', `The workflow ${quoteName(workflow.name)} has no state ${quoteName(text)}.`, help)
  throw new ToolError(
    'workflow_mismatch',
    `The state ${quoteName(other.state)} belongs to the workflow ${quoteName(other.workflow)}, not to ${quoteName(workflow.name)}.`,
    help,
  )
}

/** Explains that a user cannot edit a workflow. */
export function notOwnedError({ name, ownerId }: WorkflowRow, userId: string, field: string): ToolError {
  return ownerId === userId
    ? new ToolError('not_user_owned', `The workflow ${quoteName(name)} is the system's and cannot be edited.`, {
        field,
        hint: 'Copy it in the portal or with: tasuki workflow copy <name>; then give the copy to the project.',
      })
    : new ToolError('not_user_owned', `The workflow ${quoteName(name)} belongs to another user.`, {
        field,
        hint: 'Its owner can edit it, and so change the states of the project that you share.',
      })
}

async function notFoundError(ctx: ReadContext, text: string, field: string): Promise<ToolError> {
  const allowed = await readOwnNames(ctx, 20)
  const hint =
    allowed.length > 0
      ? 'workflow_states_list shows your workflows.'
      : 'You have none of your own yet: copy the system workflow in the portal or with: tasuki workflow copy <name>.'
  return new ToolError('not_found', `There is no workflow ${quoteName(text)}.`, { field, hint, allowed })
}
