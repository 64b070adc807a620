import { definePlugin, sql, ToolError, uuid } from 'tasuki/plugin'
import { attachmentParents, type AttachmentParent } from '../../../plugins/attachments/points.ts'
import { requireItem } from '../../../plugins/items/index.ts'

/** Stands for the plugins of discussions and conversations: a discussion's id is that of its item, a message's that of its user. */
const discussion: AttachmentParent = {
  kind: 'discussion',
  needs: ['parent_id'],
  async find(ctx, { parent_id }, { write }) {
    const { rows } = await sql<{ ref: string }>`
      select p.key || '#' || i.number as ref from items.items i
      join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id where i.owner_id = ${ctx.actor.userId} and i.id = ${parent_id}
    `.execute(ctx.db)
    if (!rows[0]) throw new ToolError('not_found', `There is no discussion ${parent_id}.`, { field: 'parent_id' })
    const item = await requireItem(ctx, rows[0].ref, { write, field: 'parent_id' })
    const { ownerId, id, project, title } = item
    return { ownerId, id, projectId: project.id, item: { itemId: id, ref: rows[0].ref, title } }
  },
}

const message: AttachmentParent = {
  kind: 'ai_chat_message',
  needs: ['parent_id', 'thread_id'],
  async find(ctx, { parent_id }) {
    const { userId } = ctx.actor
    if (parent_id !== userId)
      throw new ToolError('not_found', `There is no message ${parent_id}.`, { field: 'parent_id' })
    return { ownerId: userId, id: userId, projectId: null, item: null }
  },
  exists: sql<boolean>`exists (select from core.users u where u.id = a.parent_id)`,
}

export const talks = definePlugin({
  name: 'talks',
  version: '0.1.0',
  api: 1,
  group: 'talks',
  dependsOn: ['items', 'attachments'],
  contributes: [attachmentParents(discussion), attachmentParents(message)],
})

export const nobody = uuid()
