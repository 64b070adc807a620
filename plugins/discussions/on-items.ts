import { sql, Type } from 'tasuki/plugin'
import { hasRowIn } from '../items/index.ts'
import { itemGrepFields, itemHas, itemSections } from '../items/points.ts'
import {
  authorsOfItem,
  bodiesOfItem,
  countOfItem,
  itemsByAuthor,
  itemsByBody,
  newestOfItem,
} from './discussion.repository.ts'
import { discussion } from './discussion.ts'

/** Maximum number of discussions in items_context_get. */
const MAX_DISCUSSIONS = sql.lit(30)

const section = itemSections({
  name: 'discussions',
  schema: Type.Array(discussion),
  sql: ctx => newestOfItem(ctx, MAX_DISCUSSIONS),
  rest: { total: countOfItem, tool: 'discussions_list' },
})

const bodies = itemGrepFields({
  name: 'comments.body',
  byDefault: true,
  texts: () => bodiesOfItem,
  candidates: itemsByBody,
})

const authors = itemGrepFields({
  name: 'comments.author',
  byDefault: false,
  texts: () => authorsOfItem,
  candidates: itemsByAuthor,
})

export const onItems = [
  section,
  bodies,
  authors,
  itemHas({ value: 'discussion', summary: 'comments', sql: () => hasRowIn('discussions.discussions') }),
]
