import { allOf, compare, exists, expressions, iso, noSql, parens, refersTo, sql } from 'tasuki/plugin'
import type { Expression, RawBuilder, ReadContext } from 'tasuki/plugin'
import { findTexts, type KindRequest, type RankedTexts } from '../search/index.ts'
import { isVisibleThread, threadJson } from './thread.repository.ts'

const { selectFrom } = expressions<{ d: 'conversations.messages' }>()
const messages = selectFrom('conversations.messages as m').select([
  'm.owner_id',
  'm.id',
  'm.thread_id',
  'm.tsv',
  'm.code',
  'm.vector',
  'm.model',
])
const titles = selectFrom('conversations.threads as t')
  .select(['t.owner_id', 't.id', 't.id as thread_id', 't.tsv', 't.code', 't.vector', 't.model'])
  .where('t.title', 'is not', null)

/** The text of the message `t` to embed: for a digest, its title. Many have none, and would cost as much as messages of people. */
export const messageText: RawBuilder<string> = sql.raw('case when t.tool is null then t.content else t.title end')
export const threadTitle: RawBuilder<string> = sql.ref('t.title')

/** Returns the texts of the caller's threads. @param from messages, optionally with titles */
function textsOf(ctx: ReadContext, from: Expression<unknown>): RankedTexts {
  const own = compare('d.owner_id', '=', ctx.actor.userId)
  const thread = exists(
    selectFrom('conversations.threads as t').where(refersTo('d.thread_id', 't')).where(isVisibleThread(ctx)),
  )
  return {
    from: parens(from),
    id: 'id',
    // A credential without a project scope sees all threads of its user, so single threads need no check.
    seen: ctx.actor.projects === null ? own : allOf([own, thread]),
    join: noSql,
  }
}

export interface Hit {
  readonly hit: object
  readonly content: string | null
  readonly score: number
}

/** Finds threads by their titles and their best messages. */
export async function searchThreads(ctx: ReadContext, request: KindRequest): Promise<readonly Hit[]> {
  const ranking = findTexts(textsOf(ctx, sql.join([messages, titles], sql.raw(' union all '))), request)
  const { rows } = await sql<Hit>`
    with ${ranking},
    best as (
      select distinct on (t.id) t.id, r.place, r.score, coalesce(m.content, t.title) as content
      from found r left join conversations.messages m on m.owner_id = r.owner_id and m.id = r.item_id
      join conversations.threads t on t.owner_id = r.owner_id and t.id = coalesce(m.thread_id, r.item_id)
      order by t.id, r.place)
    select ${threadJson(ctx)} as hit, b.content, b.score::float8 as score
    from best b join conversations.threads t on t.owner_id = ${ctx.actor.userId} and t.id = b.id
    order by b.place limit ${request.limit}
  `.execute(ctx.db)
  return rows
}

/** Finds single messages. */
export async function searchMessages(ctx: ReadContext, request: KindRequest): Promise<readonly Hit[]> {
  const ranking = findTexts(textsOf(ctx, messages), request)
  const { rows } = await sql<Hit>`
    with ${ranking}
    select jsonb_strip_nulls(jsonb_build_object('id', m.id, 'thread_id', t.id, 'thread_title', t.title, 'role', m.role,
      'created_at', ${iso('m.created_at')})) as hit, m.content, r.score::float8 as score
    from found r join conversations.messages m on m.owner_id = r.owner_id and m.id = r.item_id
    join conversations.threads t on t.owner_id = m.owner_id and t.id = m.thread_id
    order by r.place limit ${request.limit}
  `.execute(ctx.db)
  return rows
}
