import { sql, type ReadContext, type WriteContext } from 'tasuki/plugin'
import { deleteFilesOf, fileCount, readAttachments } from '../attachments/index.ts'
import { attachmentParents } from '../attachments/points.ts'
import { checkRole } from '../projects/index.ts'
import { parentExists, type FoundDiscussion } from './discussion.repository.ts'
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

const hasFiles = (ctx: ReadContext) => ctx.all(attachmentParents).length > 0

/** Returns SQL for the number of files of the discussion `d`. */
export const filesOf = (ctx: ReadContext) => (hasFiles(ctx) ? fileCount('discussion', 'd') : sql.lit(0))

/** Counts the files of a discussion. */
export async function countFiles(ctx: ReadContext, { discussion }: FoundDiscussion): Promise<number> {
  return hasFiles(ctx) ? (await readAttachments(ctx, 'discussion', discussion.id)).length : 0
}

/** Deletes the files of a deleted discussion. @returns their number */
export async function deleteFiles(ctx: WriteContext, { ownerId, discussion }: FoundDiscussion): Promise<number> {
  return hasFiles(ctx) ? deleteFilesOf(ctx, 'discussion', { ownerId, id: discussion.id }) : 0
}
