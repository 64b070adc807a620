import { quoteName, ToolError } from 'tasuki/plugin'
import { childrenOf, findSameName, positionProblems } from '../items/index.ts'
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
  const namesake = findSameName(rows, name, position)
  if (namesake) {
    const message = `There is already a sprint ${quoteName(namesake.path)}.`
    const [hint, details] = ['Use that sprint or choose another name.', { sprint_id: namesake.id }]
    problems.push(new ToolError('conflict', message, { field: 'name', hint, details }))
  }
  const siblings = childrenOf(rows, parent?.id ?? null).filter(other => other.id !== sprint?.id)
  const active = siblings.find(other => other.status === 'active')
  if (active && plan.status === 'active') problems.push(otherActiveError(active))
  if (startDate !== null && endDate !== null && endDate < startDate) {
    const message = `The sprint would end on ${endDate}, before its start on ${startDate}.`
    const hint = 'Give an end_date that is not before the start_date.'
    problems.push(new ToolError('invalid_argument', message, { field: 'end_date', hint }))
  }
  return problems
}

/** Creates the error for a second active sprint. */
export function otherActiveError({ path, id }: SprintRow, field = 'status'): ToolError {
  const message = `The sprint ${quoteName(path)} is active, and only one of its level can be.`
  const hint = 'Close it with sprints_close, or hand over to the next with sprints_handoff.'
  return new ToolError('conflict', message, { field, hint, details: { active_sprint: path, active_sprint_id: id } })
}
