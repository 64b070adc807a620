import { defineTool } from 'tasuki/plugin'
import { itemRef, removeItem, writtenOutput } from '../../items/index.ts'
import { projectKey } from '../../projects/index.ts'
import { sprints as placement } from '../placement.repository.ts'
import { pickSprintToWrite } from '../sprint.repository.ts'
import { sprintRef } from '../sprint.ts'

export const sprintsRemoveItem = defineTool({
  name: 'sprints_remove_item',
  class: 'W',
  title: 'Remove item from sprint',
  summary: 'Takes an item out of a sprint. To move it use sprints_add_item.',
  rank: 560,
  gates: ['sprints'],
  input: { project_key: projectKey('Project key.'), sprint: sprintRef(), item_ref: itemRef() },
  output: writtenOutput,
  async run(ctx, { project_key, sprint: text, item_ref }) {
    const { project, sprint } = await pickSprintToWrite(ctx, project_key, text)
    return removeItem(ctx, placement, item_ref, { project, place: sprint })
  },
})
