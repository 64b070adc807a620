import { ToolError } from 'tasuki/plugin'
import { pathKey, sprintKey } from './names.ts'
import { childrenOf, isWithin, type SprintRow } from './rows.ts'

export interface PickOptions {
  /** Of the sprints, for errors. */
  readonly projectKey: string
  /** The parameter that the text came from. */
  readonly field: string
}

/** Picks the sprint of a project that a text names. @throws ToolError not_found, ambiguous_ref */
export function pickSprint(sprints: readonly SprintRow[], text: string, options: PickOptions): SprintRow {
  const found = findSprint(sprints, text, options)
  if (found instanceof ToolError) throw found
  return found
}

/**
 * Finds the sprint that a text names, or why there is none: an id, a path, the bare name of one sprint, `@active` or `@next`.
 * A full path wins over a bare name.
 */
export function findSprint(sprints: readonly SprintRow[], text: string, options: PickOptions): SprintRow | ToolError {
  const word = sprintKey(text)
  if (word === '@active') return theActive(sprints, options)
  if (word === '@next') return theNext(sprints, options)
  const key = pathKey(text)
  const exact = sprints.find(sprint => sprint.id === word) ?? sprints.find(sprint => sprint.pathKey === key)
  if (exact) return exact
  const named = key.includes('/') ? [] : sprints.filter(sprint => sprint.key === key)
  if (named[0] && named.length === 1) return named[0]
  if (named.length > 1)
    return ambiguous(named, `${options.projectKey} has ${named.length} sprints named ${text}.`, options)
  return new ToolError('not_found', `${options.projectKey} has no sprint ${text}.`, {
    field: options.field,
    allowed: sprints.filter(sprint => sprint.status !== 'closed').map(sprint => sprint.path),
    hint: 'sprints_list shows the paths; sprints_create makes a new sprint.',
  })
}

/** The active sprint; of nested ones the innermost, where the work is. */
function theActive(sprints: readonly SprintRow[], options: PickOptions): SprintRow | ToolError {
  const active = sprints.filter(sprint => sprint.status === 'active')
  const innermost = active.filter(sprint => !active.some(other => other !== sprint && isWithin(sprints, other, sprint)))
  const [found, another] = innermost
  if (found && !another) return found
  if (found) return ambiguous(innermost, `${options.projectKey} has ${innermost.length} active sprints.`, options)
  return new ToolError('not_found', `${options.projectKey} has no active sprint.`, {
    field: options.field,
    allowed: sprints.filter(sprint => sprint.status === 'planning').map(sprint => sprint.path),
    hint: 'Name a sprint, or start one first; sprints_update status=active does it.',
  })
}

/** The planned sprint that comes first: by start date, those without last, then in their order. */
function theNext(sprints: readonly SprintRow[], { projectKey, field }: PickOptions): SprintRow | ToolError {
  const planned = sprints.filter(sprint => sprint.status === 'planning' && childrenOf(sprints, sprint.id).length === 0)
  const [first] = planned.toSorted(byStart)
  if (first) return first
  return new ToolError('not_found', `${projectKey} has no sprint in planning.`, {
    field,
    hint: 'Plan one first; sprints_create does it.',
  })
}

function byStart(a: SprintRow, b: SprintRow): number {
  const [startA, startB] = [a.startDate ?? '9999', b.startDate ?? '9999']
  return startA === startB ? a.displayOrder - b.displayOrder || (a.id < b.id ? -1 : 1) : startA < startB ? -1 : 1
}

function ambiguous(candidates: readonly SprintRow[], message: string, { field }: PickOptions): ToolError {
  const allowed = candidates.map(sprint => sprint.path)
  return new ToolError('ambiguous_ref', message, { field, allowed, hint: 'Give the full path.' })
}

/** The refusal of a change that would touch a closed sprint. */
export function closedSprint(
  sprint: Pick<SprintRow, 'path'>,
  field: string,
  hint = 'Choose a sprint that is planned or active.',
): ToolError {
  return new ToolError('sprint_closed', `The sprint ${sprint.path} is closed, and closed is final.`, { field, hint })
}
