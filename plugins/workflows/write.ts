import { nameKey, sql, ToolError, uuid, type WriteContext } from 'tasuki/plugin'
import { projectWorkflow, statesOf, workflowColumns, workflowParts, type WorkflowRow } from './find.ts'
import { workflowAssigned, type StateMove } from './points.ts'
import { insertStates, insertTransitions } from './rows.ts'
import { counterpart, type WorkflowStateRow } from './state.ts'
import { recordSettingChange, type SettingChangeRecord } from '../projects/index.ts'

export const MOST_NAME = 80

/** The name without blanks around it. @throws ToolError invalid_argument when nothing is left */
export function cleanName(name: string): string {
  const clean = name.trim()
  if (clean === '') throw new ToolError('invalid_argument', 'The name is blank.', { field: 'name' })
  return clean
}

export interface NewWorkflow {
  readonly name: string
  /** The workflow whose states and transitions it starts with; the owner's system workflow when left out. */
  readonly copyOf?: Pick<WorkflowRow, 'ownerId' | 'id'> | undefined
}

/** Creates a user-owned workflow as a copy of another. @throws ToolError conflict, invalid_argument */
export async function createWorkflow(
  ctx: WriteContext,
  ownerId: string,
  { name: given, copyOf }: NewWorkflow,
): Promise<WorkflowRow> {
  const name = cleanName(given)
  const { states, transitions } = await workflowParts(ctx, copyOf ?? (await systemWorkflow(ctx, ownerId)))
  const { rows } = await sql<WorkflowRow>`
    insert into workflows.workflows as w (owner_id, id, name, name_key, created_at, updated_at)
    values (${ownerId}, ${uuid()}, ${name}, ${nameKey(name)}, ${ctx.now}, ${ctx.now})
    on conflict (owner_id, name_key) do nothing returning ${workflowColumns('w')}
  `.execute(ctx.db)
  const [workflow] = rows
  if (!workflow) throw nameTaken(name)
  const ids = new Map(states.map(state => [state.id, uuid()]))
  const mine = { owner_id: ownerId, workflow_id: workflow.id }
  await insertStates(
    ctx,
    states.map(state => ({ ...state, ...mine, id: ids.get(state.id)! })),
  )
  await insertTransitions(
    ctx,
    transitions.map(({ from_state_id, to_state_id, kind, is_default_next }) => ({
      ...mine,
      id: uuid(),
      from_state_id: from_state_id === null ? null : ids.get(from_state_id)!,
      to_state_id: ids.get(to_state_id)!,
      kind,
      is_default_next,
    })),
  )
  await tellOfWorkflow(ctx, workflow, {
    kind: 'workflow.created',
    of: workflow,
    after: { states: states.map(({ name }) => name) },
  })
  return workflow
}

function nameTaken(name: string): ToolError {
  return new ToolError('conflict', `There is already a workflow ${name}.`, {
    field: 'name',
    hint: 'Choose another name.',
  })
}

/** Tells of a change of a workflow, which is of no single project, with the workflow's name before that of its part. */
export async function tellOfWorkflow(
  ctx: WriteContext,
  { ownerId, id, name }: Pick<WorkflowRow, 'ownerId' | 'id' | 'name'>,
  told: SettingChangeRecord,
): Promise<void> {
  const { of } = told
  const named = of.id === id ? of : { id: of.id, name: `${name}: ${of.name}` }
  await recordSettingChange(ctx, { ownerId, id: null }, { ...told, of: named })
}

async function systemWorkflow(ctx: WriteContext, ownerId: string): Promise<{ ownerId: string; id: string }> {
  const { rows } = await sql<{
    id: string
  }>`select id from workflows.workflows where owner_id = ${ownerId} and is_system`.execute(ctx.db)
  if (!rows[0]) throw new TypeError(`User ${ownerId} has no system workflow`)
  return { ownerId, id: rows[0].id }
}

export interface AssignedProject {
  readonly ownerId: string
  readonly id: string
  readonly key: string
}

/**
 * Makes a project use a workflow of its owner; its items move to the states that correspond to theirs.
 * @throws ToolError workflow_mismatch when the workflow is another owner's
 */
export async function assignWorkflow(
  ctx: WriteContext,
  { ownerId, id: projectId, key }: AssignedProject,
  workflow: Pick<WorkflowRow, 'ownerId' | 'id' | 'name' | 'isSystem'>,
): Promise<{ changed: boolean; moves: readonly StateMove[] }> {
  if (workflow.ownerId !== ownerId) {
    throw new ToolError(
      'workflow_mismatch',
      `The workflow ${workflow.name} and the project ${key} have different owners.`,
      {
        field: 'workflow_id',
        hint: 'Create a copy of it as the owner of the project.',
      },
    )
  }
  const { rows } = await sql<{ former: string }>`
    select ${projectWorkflow('p')} as former from projects.projects p where p.owner_id = ${ownerId} and p.id = ${projectId} for update of p
  `.execute(ctx.db)
  const former = rows[0]?.former
  if (former === undefined || former === workflow.id) return { changed: false, moves: [] }
  // Whoever edits one of the two workflows waits, so that the states read next stay what they are.
  await sql`
    select from workflows.workflows w where w.owner_id = ${ownerId} and w.id in (${former}, ${workflow.id}) order by w.id for update
  `.execute(ctx.db)
  const { rows: both } = await sql<{ from: WorkflowStateRow[]; to: WorkflowStateRow[] }>`
    select ${statesOf(sql`${ownerId}`, sql`${former}`)} as from, ${statesOf(sql`${ownerId}`, sql`${workflow.id}`)} as to
  `.execute(ctx.db)
  if (workflow.isSystem) {
    await sql`delete from workflows.project_workflows where owner_id = ${ownerId} and project_id = ${projectId}`.execute(
      ctx.db,
    )
  } else {
    await sql`
      insert into workflows.project_workflows (owner_id, project_id, workflow_id) values (${ownerId}, ${projectId}, ${workflow.id})
      on conflict (owner_id, project_id) do update set workflow_id = excluded.workflow_id
    `.execute(ctx.db)
  }
  const { from, to } = both[0]!
  const moves = from.map((state): StateMove => {
    const found = counterpart(state, to)
    if (!found) throw new TypeError(`No ${state.system_status} state to move ${state.name} to`)
    return { from: state, to: found }
  })
  await recordSettingChange(
    ctx,
    { ownerId, id: projectId },
    {
      kind: 'project.workflow.changed',
      of: { id: projectId, name: key },
      before: { workflow_id: former },
      after: { workflow_id: workflow.id },
    },
  )
  for (const assigned of ctx.all(workflowAssigned)) await assigned(ctx, { ownerId, projectId, moves })
  return { changed: true, moves }
}

export interface WorkflowChange {
  readonly name?: string | undefined
  /** Lets only defined transitions pass, or any move. */
  readonly enforceTransitions?: boolean | undefined
}
const CHANGEABLE = { name: 'name', enforceTransitions: 'enforce_transitions' } as const

/**
 * Changes a workflow of an owner; what is undefined stays.
 * @returns the names of the fields that changed, as tools call them
 * @throws ToolError not_user_owned, conflict, invalid_argument
 */
export async function updateWorkflow(
  ctx: WriteContext,
  before: WorkflowRow,
  change: WorkflowChange,
): Promise<{ readonly workflow: WorkflowRow; readonly changed: readonly string[] }> {
  const { ownerId, id, isSystem } = before
  if (isSystem) {
    throw new ToolError('not_user_owned', `The workflow ${before.name} is the system's and cannot be edited.`, {
      field: 'workflow',
      hint: 'Copy it with: tasuki workflow copy <name>; then give the copy to the project.',
    })
  }
  const after = {
    name: change.name === undefined ? before.name : cleanName(change.name),
    enforceTransitions: change.enforceTransitions ?? before.enforceTransitions,
  }
  const fields = (['name', 'enforceTransitions'] as const).filter(field => before[field] !== after[field])
  if (fields.length === 0) return { workflow: before, changed: [] }
  const { rows } = await sql<WorkflowRow>`
    update workflows.workflows w set name = ${after.name}, name_key = ${nameKey(after.name)},
      enforce_transitions = ${after.enforceTransitions}, updated_at = greatest(${ctx.now}::timestamptz, w.updated_at + interval '1 millisecond')
    where w.owner_id = ${ownerId} and w.id = ${id} and not exists (
      select from workflows.workflows o where o.owner_id = w.owner_id and o.name_key = ${nameKey(after.name)} and o.id <> w.id)
    returning ${workflowColumns('w')}
  `.execute(ctx.db)
  const [workflow] = rows
  if (!workflow) throw nameTaken(after.name)
  await tellOfWorkflow(ctx, workflow, {
    kind: 'workflow.changed',
    of: workflow,
    before,
    after: workflow,
    changed: fields,
  })
  return { workflow, changed: fields.map(field => CHANGEABLE[field]) }
}
