import { guarded, quoteName, ToolError, Type, type ReadContext, type WriteContext } from 'tasuki/plugin'
import type { WorkflowDetail } from './find.ts'
import { stateUsers, type StateUse } from './points.ts'
import { updateState } from './state.repository.ts'
import { initialState, resolveState, type WorkflowStateRow } from './state.ts'
import { updateTransitions } from './transition.repository.ts'
import { kindProblem, quoteTransition } from './transition.ts'
import { cleanName } from '../projects/index.ts'

/** Keeps workflows readable, and their reads small. */
export const MOST_STATES = 100

export const stateName = Type.String({ minLength: 1, maxLength: 80, description: 'Unique.' })
export const stateDescription = (description: string) => Type.String({ maxLength: 500, description })
export const colorHex = guarded(Type.String({ description: '#RRGGBB.' }), { pattern: '^#[0-9A-Fa-f]{6}$' })
export const categoryNote = 'open: todo, in_progress, review; closed: done'

/** Normalizes a name, and adds a problem if another state has it. */
export function checkName(
  states: readonly WorkflowStateRow[],
  text: string,
  own: WorkflowStateRow | null,
  problems: ToolError[],
): string {
  const name = cleanName(text)
  const others = states.filter(state => state.id !== own?.id)
  const holder = resolveState(others, name)
  if (holder) {
    const message = `The workflow already has a state ${quoteName(holder.name)}.`
    problems.push(new ToolError('conflict', message, { field: 'name', hint: 'Choose another name.' }))
  }
  return name
}

/** Adds a problem if the default state would be closed. */
export function checkDefault(state: WorkflowStateRow, problems: ToolError[]): void {
  if (!state.is_default || state.system_status === 'open') return
  const message = `New items cannot start in the closed state ${quoteName(state.name)}.`
  const hint = 'Make an open state the default one first.'
  problems.push(new ToolError('invalid_argument', message, { field: 'is_default', hint }))
}

/** Clears the default flag of another state. @returns warnings */
export async function demoteDefault(
  ctx: WriteContext,
  workflow: WorkflowDetail,
  newDefault: string,
): Promise<string[]> {
  const former = workflow.states.find(state => state.is_default && state.id !== newDefault)
  if (!former) return []
  await updateState(ctx, workflow, former.id, { is_default: false })
  return [`${quoteName(former.name)} is no longer the default state.`]
}

/** Returns why a status cannot lose this state, or null. */
export function refuseLastOfStatus(workflow: WorkflowDetail, state: WorkflowStateRow): ToolError | null {
  const others = workflow.states.filter(each => each.id !== state.id && each.system_status === state.system_status)
  if (others.length > 0) return null
  const message = `${quoteName(state.name)} is the last ${state.system_status} state of the workflow ${quoteName(workflow.name)}.`
  const hint = `A workflow needs an open and a closed state: create another ${state.system_status} one first.`
  return new ToolError('conflict', message, { hint })
}

/** Returns why a state cannot be archived, apart from its uses, or null. */
export function refuseArchiving(workflow: WorkflowDetail, state: WorkflowStateRow): ToolError | null {
  if (state.is_default && initialState(workflow.states)?.id === state.id) {
    const message = `${quoteName(state.name)} is where new items of the workflow ${quoteName(workflow.name)} start.`
    const hint = 'Make another state the default one first: workflow_states_update with is_default true.'
    return new ToolError('conflict', message, { field: 'state_id', hint })
  }
  return refuseLastOfStatus(workflow, state)
}

/** Returns what uses a state, by kind of record. */
export async function usesOf(ctx: ReadContext, ownerId: string, stateId: string): Promise<readonly StateUse[]> {
  const uses = []
  for (const users of ctx.all(stateUsers)) uses.push(...(await users(ctx, { ownerId, stateIds: [stateId] })))
  return uses
}

/** Changes transitions to manual if they no longer fit their kind after a change of a state. @returns warnings */
export async function repairTransitions(
  ctx: WriteContext,
  workflow: WorkflowDetail,
  changed: WorkflowStateRow,
): Promise<string[]> {
  const states = new Map([...workflow.states, changed].map(state => [state.id, state]))
  const unfit = workflow.transitions.filter(({ from_state_id, to_state_id, kind }) => {
    const from = from_state_id === null ? null : (states.get(from_state_id) ?? null)
    const to = states.get(to_state_id)
    return to !== undefined && kindProblem(kind, from, to) !== null
  })
  if (unfit.length === 0) return []
  const ids = unfit.map(({ id }) => id)
  await updateTransitions(ctx, workflow, ids, { kind: 'manual' })
  return unfit.map(
    each => `The transition ${quoteTransition(each)} is manual now; it no longer fits the kind ${each.kind}.`,
  )
}
