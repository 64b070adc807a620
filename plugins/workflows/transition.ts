import { choice, nullable, quoteName, ToolError, Type, type Static } from 'tasuki/plugin'
import type { WorkflowStateRow } from './state.ts'

export const TRANSITION_KINDS = ['next', 'cancel', 'manual', 'reopen'] as const
export type TransitionKind = (typeof TRANSITION_KINDS)[number]

/** A transition as tools return it; the entry has a null `from_state_id`. */
export const workflowTransition = Type.Object({
  id: Type.String(),
  workflow_id: Type.String(),
  workflow: Type.Optional(Type.String({ description: 'Its name.' })),
  from_state_id: nullable(Type.String()),
  from_state: Type.Optional(Type.String()),
  to_state_id: Type.String(),
  to_state: Type.String(),
  kind: choice(TRANSITION_KINDS),
  is_default_next: Type.Boolean(),
})
export type TransitionRow = Static<typeof workflowTransition>

/** The result of a write of a transition, which has a short schema here. */
export const transitionResult = Type.Object({
  transition: Type.Unsafe<TransitionRow>(Type.Object({ id: Type.String(), to_state: Type.String() })),
  changed: Type.Array(Type.String()),
  warnings: Type.Optional(Type.Array(Type.String())),
})

export const transitionKind = choice(TRANSITION_KINDS, { description: 'cancel: negative end; reopen: back to open.' })
export const isDefaultNext = Type.Boolean({ description: 'Main way on; kind next only.' })

/** Formats a transition for sentences: `"In progress" → "Done"`. */
export function quoteTransition({ from_state, to_state }: Pick<TransitionRow, 'from_state' | 'to_state'>): string {
  return `${from_state === undefined ? 'entry' : quoteName(from_state)} → ${quoteName(to_state)}`
}

/** Formats a transition for names and comparisons: `In progress → Done`. */
export function transitionLabel({ from_state, to_state }: Pick<TransitionRow, 'from_state' | 'to_state'>): string {
  return `${from_state ?? 'entry'} → ${to_state}`
}

/** Returns why a transition of a kind cannot lead from one state (null = the entry) to another, or null. */
export function kindProblem(
  kind: TransitionKind,
  from: WorkflowStateRow | null,
  to: WorkflowStateRow,
): ToolError | null {
  if (kind === 'reopen' && (from?.system_status !== 'closed' || to.system_status !== 'open'))
    return kindError(
      `reopen leads from a closed state to an open one, not ${from ? quoteName(from.name) : 'from the entry'} to ${quoteName(to.name)}.`,
    )
  if (kind === 'cancel' && (to.system_status !== 'closed' || to.status_attribute === 'done'))
    return kindError(
      `cancel leads to a closed state with status_attribute duplicate or wontfix, and ${quoteName(to.name)} is not one.`,
    )
  return null
}

function kindError(message: string): ToolError {
  return new ToolError('invalid_argument', message, { field: 'kind', hint: 'Take kind manual for any other move.' })
}

/** @throws ToolError invalid_argument */
export function checkDefaultNext(kind: TransitionKind, isDefaultNext: boolean): void {
  if (!isDefaultNext || kind === 'next') return
  throw new ToolError('invalid_argument', `The default next has kind next, not ${kind}.`, {
    field: 'is_default_next',
    hint: 'Give kind next, or is_default_next false.',
  })
}
