import { sql, ToolError } from 'tasuki/plugin'
import { attachmentParents } from '../attachments/points.ts'
import { seenThread } from './thread.ts'

/** Files can hang on a message, for its user alone. */
export const messageParent = attachmentParents({
  kind: 'ai_chat_message',
  needs: ['parent_id', 'thread_id'],
  async find(ctx, { parent_id: id, thread_id: thread }) {
    const { rows } = await sql<{ ownerId: string }>`
      select m.owner_id as "ownerId" from conversations.messages m
      join conversations.threads t on t.owner_id = m.owner_id and t.id = m.thread_id
      where m.id = ${id} and ${seenThread(ctx)} ${thread === undefined ? sql`` : sql`and t.id::text = lower(${thread})`}
    `.execute(ctx.db)
    const [found] = rows
    if (found) return { ownerId: found.ownerId, id: id!, projectId: null, item: null }
    throw new ToolError(
      'not_found',
      `There is no message ${id}${thread === undefined ? '' : ` in thread ${thread}`}.`,
      {
        field: 'parent_id',
        hint: 'A search with kinds ["thread_message"] finds messages with their thread.',
      },
    )
  },
  exists: sql<boolean>`exists (select from conversations.messages m where m.owner_id = a.owner_id and m.id = a.parent_id)`,
})
