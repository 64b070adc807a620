import { defineTool, formatCount, quoteName, throwAll, ToolError } from 'tasuki/plugin'
import { childrenOf, isWithin } from '../../items/index.ts'
import { projectKey } from '../../projects/index.ts'
import { closedOutput, closeSprint } from '../close.ts'
import { dispositions } from '../dispositions.ts'
import { sprintClosed } from '../pick.ts'
import { type SprintRow, sprintRef } from '../sprint.ts'
import { lockPair } from '../sprint.repository.ts'
import { otherActiveError } from '../structure.ts'

export const sprintsHandoff = defineTool({
  name: 'sprints_handoff',
  class: 'WD',
  title: 'Hand over to next sprint',
  summary: 'sprints_close and the start of the next sprint in one step; irreversible.',
  rank: 570,
  gates: ['sprints'],
  input: {
    project_key: projectKey('Project key.'),
    sprint: sprintRef(),
    next_sprint: sprintRef('In planning, without children.'),
    dispositions,
  },
  output: closedOutput,
  rows: 'items',
  async run(ctx, { project_key, sprint: text, next_sprint: nextText, dispositions: given }) {
    const { sprint, next, ...project } = await lockPair(ctx, project_key, text, nextText)
    throwAll(nextProblems(project.sprints, sprint, next))
    return closeSprint(ctx, project, { sprint, next, start: true, given })
  },
})

/** Returns the errors of starting `next` in place of `sprint`. */
function nextProblems(sprints: readonly SprintRow[], sprint: SprintRow, next: SprintRow): ToolError[] {
  const field = 'next_sprint'
  if (next.status === 'closed') return [sprintClosed(next, field)]
  const problems: ToolError[] = []
  const allowed = sprints
    .filter(({ id, status }) => status === 'planning' && childrenOf(sprints, id).length === 0)
    .map(({ path }) => path)
  if (next.status !== 'planning') {
    const message = `The next sprint must be in planning, and ${quoteName(next.path)} is ${next.status}.`
    problems.push(new ToolError('invalid_argument', message, { field, allowed, hint: 'Choose a sprint in planning.' }))
  }
  const children = childrenOf(sprints, next.id).length
  if (children > 0) {
    const message = `${quoteName(next.path)} has ${formatCount(children, 'sprint')} below it; the next sprint must have none.`
    problems.push(new ToolError('has_children', message, { field, allowed, hint: 'Choose a sprint without children.' }))
  }
  if (next.id !== sprint.id && isWithin(sprints, next, sprint)) {
    const message = `${quoteName(next.path)} lies below ${quoteName(sprint.path)}, which would be closed.`
    problems.push(new ToolError('invalid_argument', message, { field, hint: 'Choose a sprint of the same level.' }))
  }
  const active = childrenOf(sprints, next.parentId).find(({ id, status }) => status === 'active' && id !== sprint.id)
  if (active && active.id !== next.id) problems.push(otherActiveError(active, field))
  return problems
}
