import { defineTool } from 'tasuki/plugin'
import { assignItem, itemRef, writtenOutput } from '../../items/index.ts'
import { projectKey } from '../../projects/index.ts'
import { closedSprint } from '../pick.ts'
import { sprints as placement } from '../placement.repository.ts'
import { pickSprintToWrite } from '../sprint.repository.ts'
import { sprintRef } from '../sprint.ts'

export const sprintsAddItem = defineTool({
  name: 'sprints_add_item',
  class: 'W',
  title: 'Add item to sprint',
  summary: 'Puts an item into a sprint of its project. For many use items_bulk_patch.',
  rank: 160,
  gates: ['sprints'],
  input: { project_key: projectKey('Project key.'), sprint: sprintRef(), item_ref: itemRef() },
  output: writtenOutput,
  async run(ctx, { project_key, sprint: text, item_ref }) {
    const { project, sprint } = await pickSprintToWrite(ctx, project_key, text)
    if (sprint.status === 'closed') throw closedSprint(sprint, 'sprint')
    return assignItem(ctx, placement, item_ref, { project, field: 'sprint', choose: () => sprint })
  },
})
