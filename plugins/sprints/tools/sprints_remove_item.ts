import { defineMemberTool, removeItem } from '../../items/index.ts'
import { sprints } from '../placement.repository.ts'
import { sprintRef } from '../sprint.ts'

export const sprintsRemoveItem = defineMemberTool(sprints, {
  name: 'sprints_remove_item',
  title: 'Remove item from sprint',
  summary: 'Takes an item out of a sprint. To move it use sprints_add_item.',
  rank: 560,
  ref: sprintRef(),
  run: (ctx, ref, of) => removeItem(ctx, sprints, ref, of),
})
