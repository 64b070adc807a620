import { type ReadContext, requireUnchanged, ToolError } from 'tasuki/plugin'
import { MAX_DEPTH, sprintKey } from './names.ts'
import { closedSprint } from './pick.ts'
import { childrenOf, height, isWithin, type SprintRow, type SprintStatus } from './rows.ts'

/** What a sprint shall be. */
export interface Plan {
  readonly parent: SprintRow | null
  readonly name: string
  readonly status: SprintStatus
  readonly startDate: string | null
  readonly endDate: string | null
  /** The sprint that is changed; null = a new one. */
  readonly sprint: SprintRow | null
}

/** What speaks against a plan. */
export function planProblems(sprints: readonly SprintRow[], plan: Plan): ToolError[] {
  const { sprint, name, startDate, endDate } = plan
  const problems = parentProblems(sprints, plan)
  const siblings = childrenOf(sprints, plan.parent?.id ?? null).filter(other => other.id !== sprint?.id)
  const namesake = siblings.find(other => other.key === sprintKey(name))
  if (namesake) {
    problems.push(
      new ToolError('conflict', `There is already a sprint ${namesake.path}.`, {
        field: 'name',
        hint: 'Use that sprint or choose another name.',
        details: { sprint_id: namesake.id },
      }),
    )
  }
  const active = plan.status === 'active' ? siblings.find(other => other.status === 'active') : undefined
  if (active) problems.push(otherActive(active))
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

function parentProblems(sprints: readonly SprintRow[], { parent, sprint }: Plan): ToolError[] {
  if (!parent || (sprint && sprint.parentId === parent.id)) return []
  if (sprint && isWithin(sprints, parent, sprint)) {
    const where = parent.id === sprint.id ? 'itself' : `${parent.path}, which is part of it`
    const hint = 'Choose a parent outside of the sprint.'
    return [new ToolError('cycle', `${sprint.path} cannot move below ${where}.`, { field: 'parent', hint })]
  }
  const problems: ToolError[] = []
  const levels = parent.depth + (sprint ? height(sprints, sprint) : 1)
  if (levels > MAX_DEPTH) {
    const message = `Below ${parent.path} this would make ${levels} levels of sprints; ${MAX_DEPTH} is the most.`
    problems.push(
      new ToolError('limit_exceeded', message, { field: 'parent', hint: 'Choose a parent nearer to the top.' }),
    )
  }
  if (parent.status === 'closed') problems.push(closedSprint(parent, 'parent'))
  return problems
}

/** The refusal of a second active sprint beside another. */
export function otherActive(active: SprintRow, field = 'status'): ToolError {
  return new ToolError('conflict', `The sprint ${active.path} is active, and only one of its level can be.`, {
    field,
    hint: 'Close it with sprints_close, or hand over to the next with sprints_handoff.',
    details: { active_sprint: active.path, active_sprint_id: active.id },
  })
}

/** Refuses the change if the sprint changed after the instant that the caller gave. @throws ToolError stale_write */
export function checkFresh(
  ctx: ReadContext,
  { path, updatedAt, goal, startDate, endDate, capacity, status }: SprintRow,
): void {
  const current = { path, status, goal, capacity }
  requireUnchanged(ctx, `The sprint ${path}`, {
    ...current,
    start_date: startDate,
    end_date: endDate,
    updated_at: updatedAt,
  })
}
