import { choice, notBlank, recordId, Type, type Static } from 'tasuki/plugin'

export const DISCUSSION_KINDS = ['decision', 'fact', 'progress'] as const
/** Characters of the longest body. */
export const BODY_MOST = 32_000
export const body = notBlank(Type.String({ minLength: 1, maxLength: BODY_MOST, description: 'Markdown.' }))
export const discussionId = recordId('Id; see discussions_list.')

/** A discussion as tools return it. */
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
