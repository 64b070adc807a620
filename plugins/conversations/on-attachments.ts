import { ToolError } from 'tasuki/plugin'
import { attachmentParents } from '../attachments/points.ts'
import { findMessage, parentExists } from './message.repository.ts'

/** Files can be attached to a message; only its user sees them. */
export const messageParent = attachmentParents({
  kind: 'ai_chat_message',
  needs: ['parent_id', 'thread_id'],
  async find(ctx, { parent_id: id, thread_id: thread }) {
    const found = await findMessage(ctx, id!, thread)
    if (found) return { ownerId: found.ownerId, id: id!, projectId: null, item: null }
    const place = thread === undefined ? '' : ` in thread ${thread}`
    throw new ToolError('not_found', `There is no message ${id}${place}.`, {
      field: 'parent_id',
      hint: 'A search with kinds ["thread_message"] finds messages with their thread.',
    })
  },
  exists: parentExists,
})
