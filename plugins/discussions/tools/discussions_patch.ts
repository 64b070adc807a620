import { defineTool, requireUnchanged, Type } from 'tasuki/plugin'
import { recordChanges, toItemChange } from '../../items/index.ts'
import { updateBody } from '../discussion.repository.ts'
import { requireOwn } from '../discussion.service.ts'
import { body, discussion, discussionId } from '../discussion.ts'
import { notifyMentioned } from '../mentions.ts'

export const discussionsPatch = defineTool({
  name: 'discussions_patch',
  class: 'W',
  title: 'Change discussion',
  summary: 'Replaces the text of a comment. Only its author may.',
  rank: 650,
  input: { discussion_id: discussionId, body },
  output: { discussion, changed: Type.Array(Type.String()) },
  async run(ctx, { discussion_id: id, body: text }) {
    const found = await requireOwn(ctx, id, true)
    const before = found.discussion
    requireUnchanged(ctx, `The comment on ${before.item_ref}`, before)
    if (before.body === text) return { discussion: before, changed: [] }
    await updateBody(ctx, found.ownerId, id, text)
    await recordChanges(ctx, [toItemChange(found, 'discussion.edited', { from: before.body, to: text })])
    await notifyMentioned(ctx, found, text, before.body)
    return { discussion: { ...before, body: text, updated_at: ctx.now.toISOString() }, changed: ['body'] }
  },
})
