import { defineTool, endOfPage, pageEnd, pageOffset, Type } from 'tasuki/plugin'
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
    offset: pageOffset,
  },
  output: {
    discussions: Type.Array(discussion),
    ...pageEnd,
    warnings: Type.Optional(Type.Array(Type.String())),
  },
  async run(ctx, { item_ref: ref, limit = 10, offset = 0 }) {
    const discussions = await readDiscussions(ctx, ref, { limit: limit + 1, offset })
    return { discussions: discussions.slice(0, limit), ...endOfPage(discussions.length, { limit, offset }) }
  },
})
