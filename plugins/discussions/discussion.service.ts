import { quoteName, ToolError, type ReadContext } from 'tasuki/plugin'
import { checkRole } from '../projects/index.ts'
import { findDiscussion, type FoundDiscussion } from './discussion.repository.ts'

/** Finds a discussion that the caller may see. @param field parameter name for errors @throws ToolError not_found */
export async function requireDiscussion(
  ctx: ReadContext,
  id: string,
  { lock = false, field = 'discussion_id' }: { readonly lock?: boolean; readonly field?: string } = {},
): Promise<FoundDiscussion> {
  const found = await findDiscussion(ctx, id, lock)
  if (found) return found
  throw noDiscussionError(id, field)
}

export function noDiscussionError(id: string, field = 'discussion_id'): ToolError {
  const hint = 'discussions_list shows the discussions of an item.'
  return new ToolError('not_found', `There is no discussion ${id}.`, { field, hint })
}

/** Finds a discussion whose text the caller may change. @throws ToolError not_found, forbidden */
export async function requireOwn(ctx: ReadContext, id: string, lock: boolean): Promise<FoundDiscussion> {
  const found = await requireDiscussion(ctx, id, { lock })
  if (found.authorId !== ctx.actor.userId) {
    const author = quoteName(found.discussion.author)
    throw new ToolError('forbidden', `Only its author, ${author}, may change this comment.`, {
      field: 'discussion_id',
      hint: 'Add a comment of your own with discussions_create.',
    })
  }
  checkRole(ctx, found.project, { write: true })
  return found
}
