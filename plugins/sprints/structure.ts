import { quoteName, ToolError } from 'tasuki/plugin'
import { childrenOf, findNamesake, positionProblems } from '../items/index.ts'
import { sprints } from './placement.repository.ts'
import type { SprintRow, SprintStatus } from './sprint.ts'

/** The target values of a sprint. */
export interface Plan {
  readonly parent: SprintRow | null
  readonly name: string
  readonly status: SprintStatus
  readonly startDate: string | null
  readonly endDate: string | null
  /** The sprint to change; null = a new one. */
  readonly sprint: SprintRow | null
}

/** Returns the errors of a plan. */
export function planProblems(rows: readonly SprintRow[], plan: Plan): ToolError[] {
  const { sprint, parent, name, startDate, endDate } = plan
  const position = { row: sprint, parent, field: 'parent' }
  const problems = positionProblems(sprints, rows, position)
  const namesake = findNamesake(rows, name, position)
  if (namesake) {
    problems.push(
      new ToolError('conflict', `There is already a sprint ${quoteName(namesake.path)}.`, {
        field: 'name',
        hint: 'Use that sprint or choose another name.',
        details: { sprint_id: namesake.id },
      }),
    )
  }
  const siblings = childrenOf(rows, parent?.id ?? null).filter(other => other.id !== sprint?.id)
  const active = siblings.find(other => other.status === 'active')
  if (active && plan.status === 'active') problems.push(otherActive(active))
  if (startDate !== null && endDate !== null && endDate < startDate) {
    problems.push(
      new ToolError('invalid_argument', `The sprint would end on ${endDate}, before its start on ${startDate}.`, {
        field: 'end_date',
        hint: 'Give an end_date that is not before the start_date.',
      }),
    )
  }
  return problems
}

/** Creates the error for a second active sprint. */
export function otherActive({ path, id }: SprintRow, field = 'status'): ToolError {
  return new ToolError('conflict', `The sprint ${quoteName(path)} is active, and only one of its level can be.`, {
    field,
    hint: 'Close it with sprints_close, or hand over to the next with sprints_handoff.',
    details: { active_sprint: path, active_sprint_id: id },
  })
}
