import { defineTool, formatCount, quoteName, requireUnchanged, ToolError, Type, type ReadContext } from 'tasuki/plugin'
import { recordChanges, toItemChange } from '../../items/index.ts'
import { checkRole, roleIn } from '../../projects/index.ts'
import { deleteDiscussion, type FoundDiscussion } from '../discussion.repository.ts'
import { countFiles, deleteFiles } from '../on-attachments.ts'
import { requireDiscussion } from '../discussion.service.ts'
import { discussionId } from '../discussion.ts'

export const discussionsDelete = defineTool({
  name: 'discussions_delete',
  class: 'WD',
  title: 'Delete discussion',
  summary: 'Deletes a comment. Its author or the owner of the project may.',
  rank: 660,
  input: { discussion_id: discussionId },
  output: {
    deleted: Type.Boolean(),
    id: Type.String(),
    item_ref: Type.String(),
    deleted_files: Type.Optional(Type.Integer()),
  },
  async confirm(ctx, { discussion_id: id }) {
    const found = await requireDeletable(ctx, id)
    return describeDeletion(found, await countFiles(ctx, found))
  },
  async run(ctx, { discussion_id: id }) {
    const found = await requireDeletable(ctx, id, { lock: true })
    await deleteDiscussion(ctx, found.ownerId, id)
    const files = await deleteFiles(ctx, found)
    ctx.client.requireAgreed(describeDeletion(found, files))
    await recordChanges(ctx, [toItemChange(found, 'discussion.deleted', { from: found.discussion.body })])
    return { deleted: true, id, item_ref: found.item.ref, ...(files > 0 && { deleted_files: files }) }
  },
})

function describeDeletion({ discussion, item }: FoundDiscussion, files: number): string {
  const more = files === 0 ? '' : ` with ${formatCount(files, 'file')}`
  return `Delete the comment of ${quoteName(discussion.author)} on ${item.ref}${more}: ${quoteName(discussion.body, 80)}`
}

async function requireDeletable(ctx: ReadContext, id: string, { lock = false } = {}): Promise<FoundDiscussion> {
  const found = await requireDiscussion(ctx, id, { lock })
  const isOwner = roleIn(ctx, found.project) === 'owner'
  if (!isOwner && found.authorId === ctx.actor.userId) checkRole(ctx, found.project, { write: true })
  else if (!isOwner) throw notDeletableError(found)
  requireUnchanged(ctx, `The comment on ${found.item.ref}`, found.discussion)
  return found
}

function notDeletableError({ discussion, project }: FoundDiscussion): ToolError {
  const people = `its author, ${quoteName(discussion.author)}, or the owner of ${project.key}`
  const help = { field: 'discussion_id', hint: 'Ask one of them.' }
  return new ToolError('forbidden', `Only ${people} may delete this comment.`, help)
}
