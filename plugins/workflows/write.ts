import { quoteName, ToolError, uuid, type OwnedKey, type WriteContext } from 'tasuki/plugin'
import { notOwnedError } from './find.ts'
import { workflowAssigned, type StateMove } from './points.ts'
import { insertStates, readStatesOfBoth } from './state.repository.ts'
import { findCounterpart } from './state.ts'
import { insertTransitions, readParts } from './transition.repository.ts'
import { lockProjectWorkflow, setProjectWorkflow } from './project-workflow.repository.ts'
import { readSystemWorkflow } from './system-workflow.repository.ts'
import { insertWorkflow, lockWorkflows, updateWorkflowRow, type WorkflowRow } from './workflow.repository.ts'
import { cleanName, recordSettingChange, type SettingChangeRecord } from '../projects/index.ts'

export const MOST_NAME = 80

export interface NewWorkflow {
  readonly name: string
  /** The workflow to copy states and transitions from; default: the owner's system workflow. */
  readonly copyOf?: OwnedKey | undefined
}

/** Creates a user-owned workflow as a copy of another. @throws ToolError conflict, invalid_argument */
export async function createWorkflow(
  ctx: WriteContext,
  ownerId: string,
  { name: text, copyOf }: NewWorkflow,
): Promise<WorkflowRow> {
  const name = cleanName(text)
  const { states, transitions } = await readParts(ctx, copyOf ?? (await readSystemWorkflow(ctx, ownerId)))
  const workflow = await insertWorkflow(ctx, ownerId, name)
  if (!workflow) throw nameTakenError(name)
  const ids = new Map(states.map(state => [state.id, uuid()]))
  const mine = { owner_id: ownerId, workflow_id: workflow.id }
  const copies = states.map(state => ({ ...state, ...mine, id: ids.get(state.id)! }))
  await insertStates(ctx, copies)
  const routes = transitions.map(({ from_state_id, to_state_id, kind, is_default_next }) => ({
    ...mine,
    id: uuid(),
    from_state_id: from_state_id === null ? null : ids.get(from_state_id)!,
    to_state_id: ids.get(to_state_id)!,
    kind,
    is_default_next,
  }))
  await insertTransitions(ctx, routes)
  await recordWorkflowChange(ctx, workflow, {
    kind: 'workflow.created',
    of: workflow,
    after: { states: states.map(({ name }) => name) },
  })
  return workflow
}

function nameTakenError(name: string): ToolError {
  return new ToolError('conflict', `There is already a workflow ${quoteName(name)}.`, {
    field: 'name',
    hint: 'Choose another name.',
  })
}

/** Records a change of a workflow, which belongs to no project. The name of a state or transition follows that of the workflow. */
export async function recordWorkflowChange(
  ctx: WriteContext,
  { ownerId, id, name }: Pick<WorkflowRow, 'ownerId' | 'id' | 'name'>,
  change: SettingChangeRecord,
): Promise<void> {
  const { of } = change
  const named = of.id === id ? of : { id: of.id, name: `${name}: ${of.name}` }
  await recordSettingChange(ctx, { ownerId, id: null }, { ...change, of: named })
}

export interface AssignedProject extends OwnedKey {
  readonly key: string
}

/**
 * Assigns a workflow of its owner to a project; its items move to the equivalent states.
 * @throws ToolError workflow_mismatch for a workflow of another owner
 */
export async function assignWorkflow(
  ctx: WriteContext,
  { ownerId, id: projectId, key }: AssignedProject,
  workflow: Pick<WorkflowRow, 'ownerId' | 'id' | 'name' | 'isSystem'>,
): Promise<{ changed: boolean; moves: readonly StateMove[] }> {
  if (workflow.ownerId !== ownerId) {
    const message = `The workflow ${quoteName(workflow.name)} and the project ${key} have different owners.`
    const hint = 'Create a copy of it as the owner of the project.'
    throw new ToolError('workflow_mismatch', message, { field: 'workflow_id', hint })
  }
  const former = await lockProjectWorkflow(ctx, ownerId, projectId)
  if (former === undefined || former === workflow.id) return { changed: false, moves: [] }
  // Locks both workflows, so that the states do not change after they are read.
  await lockWorkflows(ctx, ownerId, [former, workflow.id])
  const { from, to } = await readStatesOfBoth(ctx, ownerId, former, workflow.id)
  await setProjectWorkflow(ctx, { ownerId, id: projectId }, workflow.isSystem ? null : workflow.id)
  const moves = from.map((state): StateMove => {
    const found = findCounterpart(state, to)
    if (!found) throw new TypeError(`No ${state.system_status} state to move ${state.name} to`)
    return { from: state, to: found }
  })
  const project = { ownerId, id: projectId }
  await recordSettingChange(ctx, project, {
    kind: 'project.workflow.changed',
    of: { id: projectId, name: key },
    before: { workflow_id: former },
    after: { workflow_id: workflow.id },
  })
  for (const assigned of ctx.all(workflowAssigned)) await assigned(ctx, { ownerId, projectId, moves })
  return { changed: true, moves }
}

export interface WorkflowChange {
  readonly name?: string | undefined
  /** Whether only defined transitions are allowed, or any. */
  readonly enforceTransitions?: boolean | undefined
}
const CHANGEABLE = { name: 'name', enforceTransitions: 'enforce_transitions' } as const

/**
 * Updates a workflow of an owner; undefined values stay.
 * @returns the names of the changed fields, as in tools
 * @throws ToolError not_user_owned, conflict, invalid_argument
 */
export async function updateWorkflow(
  ctx: WriteContext,
  before: WorkflowRow,
  change: WorkflowChange,
): Promise<{ readonly workflow: WorkflowRow; readonly changed: readonly string[] }> {
  const { isSystem } = before
  if (isSystem) throw notOwnedError(before, before.ownerId, 'workflow')
  const after = {
    name: change.name === undefined ? before.name : cleanName(change.name),
    enforceTransitions: change.enforceTransitions ?? before.enforceTransitions,
  }
  const changed = (['name', 'enforceTransitions'] as const).filter(field => before[field] !== after[field])
  if (changed.length === 0) return { workflow: before, changed: [] }
  const workflow = await updateWorkflowRow(ctx, before, after)
  if (!workflow) throw nameTakenError(after.name)
  const record = { kind: 'workflow.changed', of: workflow, before, after: workflow, changed }
  await recordWorkflowChange(ctx, workflow, record)
  return { workflow, changed: changed.map(field => CHANGEABLE[field]) }
}
