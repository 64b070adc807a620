import { defineTool, Type } from 'tasuki/plugin'
import { itemRef, writtenOutput } from '../../items/index.ts'
import { projectKey } from '../../projects/index.ts'
import { assignItem } from '../assign.ts'
import { closedSprint, pickSprint } from '../pick.ts'
import { readSprints } from '../rows.ts'
import { sprintRef } from '../sprint.ts'

export const sprintsAddItem = defineTool({
  name: 'sprints_add_item',
  class: 'W',
  title: 'Add item to sprint',
  summary: 'Puts an item into a sprint of its project. For many use items_bulk_patch.',
  rank: 160,
  gates: ['sprints'],
  input: Type.Object(
    { project_key: projectKey('Project key.'), sprint: sprintRef(), item_ref: itemRef() },
    { additionalProperties: false },
  ),
  output: writtenOutput,
  async run(ctx, { project_key, sprint: text, item_ref }) {
    const { project, sprints } = await readSprints(ctx, project_key, { write: true })
    const sprint = pickSprint(sprints, text, { projectKey: project.key, field: 'sprint' })
    if (sprint.status === 'closed') throw closedSprint(sprint, 'sprint')
    return assignItem(ctx, project, item_ref, () => sprint)
  },
})
