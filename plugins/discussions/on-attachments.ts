import { attachmentParents } from '../attachments/points.ts'
import { checkRole } from '../projects/index.ts'
import { parentExists } from './discussion.repository.ts'
import { requireDiscussion } from './discussion.service.ts'

/** Files can be attached to a discussion; users who may see its item may see them. */
export const discussionParent = attachmentParents({
  kind: 'discussion',
  needs: ['parent_id'],
  async find(ctx, { parent_id }, { write }) {
    const { ownerId, discussion, item, project } = await requireDiscussion(ctx, parent_id!, { field: 'parent_id' })
    checkRole(ctx, project, { write })
    const { id: itemId, ref, title } = item
    return { ownerId, id: discussion.id, projectId: project.id, item: { itemId, ref, title } }
  },
  exists: parentExists,
})
