import { defineTool, guarded, nullable, Type } from 'tasuki/plugin'
import { itemRef } from '../../items/index.ts'
import { readDiscussions } from '../discussion.repository.ts'
import { discussion } from '../discussion.ts'

export const discussionsList = defineTool({
  name: 'discussions_list',
  class: 'R',
  title: 'List discussions',
  summary: 'Lists the comments on an item, newest first.',
  rank: 120,
  rows: 'discussions',
  input: {
    item_ref: itemRef(),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 30, default: 10, description: 'How many.' })),
    offset: Type.Optional(
      guarded(Type.Integer({ default: 0, description: 'From next_offset.' }), { minimum: 0, maximum: 100_000 }),
    ),
  },
  output: {
    discussions: Type.Array(discussion),
    has_more: Type.Boolean(),
    next_offset: nullable(Type.Integer()),
    warnings: Type.Optional(Type.Array(Type.String())),
  },
  async run(ctx, { item_ref: ref, limit = 10, offset = 0 }) {
    const discussions = await readDiscussions(ctx, ref, { limit: limit + 1, offset })
    const has_more = discussions.length > limit
    return { discussions: discussions.slice(0, limit), has_more, next_offset: has_more ? offset + limit : null }
  },
})
