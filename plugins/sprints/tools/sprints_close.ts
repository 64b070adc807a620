import { defineTool, quoteName, ToolError, Type } from 'tasuki/plugin'
import { projectKey } from '../../projects/index.ts'
import { closedOutput, closeSprint } from '../close.ts'
import { dispositions } from '../dispositions.ts'
import { sprintClosed } from '../pick.ts'
import { lockPair } from '../sprint.repository.ts'
import { sprintRef } from '../sprint.ts'

export const sprintsClose = defineTool({
  name: 'sprints_close',
  class: 'WD',
  title: 'Close sprint',
  summary:
    'Closes an active sprint for good. split completes the done share and makes an item for the rest. To start the next sprint too use sprints_handoff.',
  rank: 390,
  gates: ['sprints'],
  input: {
    project_key: projectKey('Project key.'),
    sprint: sprintRef(),
    dispositions,
    next_sprint: Type.Optional(sprintRef('Receives the continued items.')),
  },
  output: closedOutput,
  rows: 'items',
  async run(ctx, { project_key, sprint: text, next_sprint: nextText, dispositions: given }) {
    const { sprint, next = null, ...project } = await lockPair(ctx, project_key, text, nextText)
    if (next?.id === sprint.id)
      throw new ToolError('invalid_argument', `${quoteName(sprint.path)} cannot take over its own items.`, {
        field: 'next_sprint',
        hint: 'Name another sprint, or use backlog.',
      })
    if (next?.status === 'closed') throw sprintClosed(next, 'next_sprint')
    return closeSprint(ctx, project, { sprint, next, start: false, given })
  },
})
