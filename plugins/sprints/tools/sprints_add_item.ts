import { assignItem, defineMemberTool } from '../../items/index.ts'
import { sprintClosed } from '../pick.ts'
import { sprints } from '../placement.repository.ts'
import { sprintRef } from '../sprint.ts'

export const sprintsAddItem = defineMemberTool(sprints, {
  name: 'sprints_add_item',
  title: 'Add item to sprint',
  summary: 'Puts an item into a sprint of its project. For many use items_bulk_patch.',
  rank: 160,
  ref: sprintRef(),
  async run(ctx, ref, { project, place: sprint }) {
    if (sprint.status === 'closed') throw sprintClosed(sprint, 'sprint')
    return assignItem(ctx, sprints, ref, { project, field: 'sprint', choose: () => sprint })
  },
})
