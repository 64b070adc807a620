import { assignItem, defineMemberTool } from '../../items/index.ts'
import { versions } from '../placement.repository.ts'
import { versionRef } from '../version.ts'

export const versionsAddItem = defineMemberTool(versions, {
  name: 'versions_add_item',
  title: 'Add item to version',
  summary: 'Plans an item for a version of its project; replaces its former one.',
  rank: 770,
  ref: versionRef,
  run: (ctx, ref, { project, place }) =>
    assignItem(ctx, versions, ref, { project, field: 'version', choose: () => place }),
})
