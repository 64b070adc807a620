import { quoteName, ToolError } from 'tasuki/plugin'
import { ambiguous, childrenOf, isWithin, type PickOptions, type PlacementSpec } from '../items/index.ts'
import type { SprintRow } from './sprint.ts'

/** Finds the active sprint; of nested ones the innermost, which holds the work. */
export function findActive<T extends SprintRow>(sprints: readonly T[], options: PickOptions): T | ToolError {
  const { projectKey, field } = options
  const active = sprints.filter(sprint => sprint.status === 'active')
  const innermost = active.filter(sprint => !active.some(other => other !== sprint && isWithin(sprints, other, sprint)))
  const [found, another] = innermost
  if (found && !another) return found
  if (found) return ambiguous(innermost, `${projectKey} has ${innermost.length} active sprints.`, field)
  return new ToolError('not_found', `${projectKey} has no active sprint.`, {
    field,
    allowed: sprints.filter(sprint => sprint.status === 'planning').map(sprint => sprint.path),
    hint: 'Name a sprint, or start one first; sprints_update status=active does it.',
  })
}

/** Finds the first planned sprint: by start date, then by order; sprints without a start date come last. */
export function findNext<T extends SprintRow>(sprints: readonly T[], options: PickOptions): T | ToolError {
  const { projectKey, field } = options
  const planned = sprints.filter(sprint => sprint.status === 'planning' && childrenOf(sprints, sprint.id).length === 0)
  const [first] = planned.toSorted(byStart)
  if (first) return first
  const hint = 'Plan one first; sprints_create does it.'
  return new ToolError('not_found', `${projectKey} has no sprint in planning.`, { field, hint })
}

function byStart(a: SprintRow, b: SprintRow): number {
  const [startA, startB] = [a.startDate ?? '9999', b.startDate ?? '9999']
  return startA === startB ? a.displayOrder - b.displayOrder || (a.id < b.id ? -1 : 1) : startA < startB ? -1 : 1
}

const OPEN = 'Choose a sprint that is planned or active.'

/** Creates the error for a change that would affect a closed sprint. */
export function sprintClosed({ path }: Pick<SprintRow, 'path'>, field: string, hint = OPEN): ToolError {
  const message = `The sprint ${quoteName(path)} is closed, and closed is final.`
  return new ToolError('sprint_closed', message, { field, hint })
}

/** Returns why an item may not move, or null. Finished work stays in a closed sprint; reopened work may move to another one. */
export const moveProblem: NonNullable<PlacementSpec<SprintRow>['refuse']> = ({ from, to, field }, item) => {
  if (to?.status === 'closed') return sprintClosed(to, field)
  if (from?.status !== 'closed' || (to && !item?.completedAt)) return null
  return sprintClosed(from, field, 'Its items stay with it; only one that was reopened can be moved to another sprint.')
}
