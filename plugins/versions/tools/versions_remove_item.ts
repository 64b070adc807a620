import { defineMemberTool, removeItem } from '../../items/index.ts'
import { versions } from '../placement.repository.ts'
import { versionRef } from '../version.ts'

export const versionsRemoveItem = defineMemberTool(versions, {
  name: 'versions_remove_item',
  title: 'Remove item from version',
  summary: 'Takes an item out of a version.',
  rank: 780,
  ref: versionRef,
  run: (ctx, ref, of) => removeItem(ctx, versions, ref, of),
})
