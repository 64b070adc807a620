import { choice, defineTool, Type } from 'tasuki/plugin'
import {
  recordChanges,
  itemRef,
  requireItem,
  requireItemUnchanged,
  toItemChange,
  toItemOfRow,
} from '../../items/index.ts'
import { insertDiscussion } from '../discussion.repository.ts'
import { body, discussion, DISCUSSION_KINDS } from '../discussion.ts'
import { notifyMentioned } from '../mentions.ts'

export const discussionsCreate = defineTool({
  name: 'discussions_create',
  class: 'W',
  title: 'Add discussion',
  summary: 'Comments on an item; @name tells a member.',
  rank: 110,
  input: {
    item_ref: itemRef(),
    body,
    kind: Type.Optional(choice(DISCUSSION_KINDS, { description: 'Default progress.' })),
  },
  output: { discussion, changed: Type.Array(Type.String()) },
  async run(ctx, { item_ref: ref, body: text, kind = 'progress' }) {
    const item = await requireItem(ctx, ref, { write: true })
    requireItemUnchanged(ctx, item)
    const inserted = await insertDiscussion(ctx, { owner_id: item.ownerId, item_id: item.id, body: text, kind })
    const found = toItemOfRow(item)
    await recordChanges(ctx, [toItemChange(found, 'discussion.created', { to: text })])
    await notifyMentioned(ctx, found, text)
    return { discussion: inserted, changed: ['body', 'kind'] }
  },
})
