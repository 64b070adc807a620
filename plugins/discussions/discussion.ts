import { choice, recordId, ToolError, Type, type ReadContext, type Static } from 'tasuki/plugin'
import { findDiscussion, type FoundDiscussion } from './discussion.repository.ts'

export const DISCUSSION_KINDS = ['decision', 'fact', 'progress'] as const
export const body = Type.String({ minLength: 1, maxLength: 32_000, description: 'Markdown.' })
export const discussionId = recordId('From discussions_list.')

/** A discussion as results show it. */
export const discussion = Type.Object({
  id: Type.String(),
  item_ref: Type.String(),
  body: Type.String(),
  kind: choice(DISCUSSION_KINDS),
  author: Type.String(),
  author_kind: Type.String(),
  created_at: Type.String(),
  updated_at: Type.String(),
})
export type Discussion = Static<typeof discussion>

/** Finds a discussion that the caller may see. @param field name of the parameter, for errors. @throws ToolError not_found */
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
