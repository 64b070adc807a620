import { ToolError, type ReadContext } from 'tasuki/plugin'
import { findDiscussion, type FoundDiscussion } from './discussion.repository.ts'

/** Finds a discussion that the caller may see. @param field parameter name for errors @throws ToolError not_found */
export async function requireDiscussion(
  ctx: ReadContext,
  id: string,
  { lock = false, field = 'discussion_id' }: { readonly lock?: boolean; readonly field?: string } = {},
): Promise<FoundDiscussion> {
  const found = await findDiscussion(ctx, id, lock)
  if (found) return found
  throw new ToolError('not_found', `There is no discussion ${id}.`, {
    field,
    hint: 'discussions_list shows the discussions of an item.',
  })
}
