import { sql, Type } from 'tasuki/plugin'
import { itemGrepFields, itemHas, itemSections } from '../items/points.ts'
import { ofSeenOwner } from '../projects/index.ts'
import { discussion, discussionJson } from './discussion.ts'

/** Discussions that items_context_get shows, newest first. */
const SHOWN = 30

const section = itemSections({
  name: 'discussions',
  schema: Type.Array(discussion),
  sql: ctx => sql`select jsonb_agg(n.discussion) from (
    select ${discussionJson(ctx)} as discussion from discussions.discussions d join core.users a on a.id = d.author_id
    where d.owner_id = i.owner_id and d.item_id = i.id order by d.id desc limit ${sql.lit(SHOWN)}) n`,
  rest: {
    total: sql<number>`select count(*)::int from discussions.discussions d where d.owner_id = i.owner_id and d.item_id = i.id`,
    tool: 'discussions_list',
  },
})

const bodies = itemGrepFields({
  name: 'comments.body',
  byDefault: true,
  texts: () =>
    sql`select jsonb_agg(d.body order by d.id) from discussions.discussions d where d.owner_id = i.owner_id and d.item_id = i.id`,
  candidates: (ctx, mayMatch) =>
    sql`select d.item_id from discussions.discussions d where ${ofSeenOwner(ctx, 'd')} and ${mayMatch('d.body')}`,
})

const authors = itemGrepFields({
  name: 'comments.author',
  byDefault: false,
  texts:
    () => sql`select jsonb_agg(distinct a.name) from discussions.discussions d join core.users a on a.id = d.author_id
    where d.owner_id = i.owner_id and d.item_id = i.id`,
  candidates: (ctx, mayMatch) => sql`
    select d.item_id from discussions.discussions d join core.users a on a.id = d.author_id
    where ${ofSeenOwner(ctx, 'd')} and ${mayMatch('a.name')}`,
})

const any = sql<boolean>`exists (select from discussions.discussions d where d.owner_id = i.owner_id and d.item_id = i.id)`

/** Everything that discussions add to items. */
export const onItems = [section, bodies, authors, itemHas({ value: 'discussion', summary: 'comments', sql: () => any })]
