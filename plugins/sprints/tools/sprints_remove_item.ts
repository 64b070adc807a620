import { defineTool } from 'tasuki/plugin'
import { itemRef, removeItem, writtenOutput } from '../../items/index.ts'
import { projectKey } from '../../projects/index.ts'
import { pickSprint, sprints as placement } from '../placement.repository.ts'
import { readSprints } from '../sprint.repository.ts'
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
    const { project, sprints } = await readSprints(ctx, project_key, { write: true })
    const sprint = pickSprint(sprints, text, { projectKey: project.key, field: 'sprint' })
    return removeItem(ctx, placement, item_ref, { project, place: sprint })
  },
})
