import { iso, sql, Type, type RawBuilder, type ReadContext } from 'tasuki/plugin'
import {
  beginning,
  findTexts,
  markerFor,
  searchKinds,
  vectorTables,
  type KindRequest,
  type RankedTexts,
} from '../search/index.ts'
import { seenThread, threadJson, threadSchema } from './thread.ts'

const hit = {
  snippet: Type.Optional(Type.String()),
  score: Type.Number(),
}

const messages = sql`select m.owner_id, m.id, m.thread_id, m.tsv, m.code, m.vector, m.model from conversations.messages m`
const titles = sql`select t.owner_id, t.id, t.id as thread_id, t.tsv, t.code, t.vector, t.model from conversations.threads t where t.title is not null`

/** Texts of the caller's threads; `from` is of messages, or of titles too. */
function textsOf(ctx: ReadContext, from: RawBuilder<unknown>): RankedTexts {
  const thread = sql`from conversations.threads t where t.owner_id = d.owner_id and t.id = d.thread_id and ${seenThread(ctx)}`
  const own = sql<boolean>`d.owner_id = ${ctx.actor.userId}`
  return {
    from: sql`(${from})`,
    id: 'id',
    // Who sees all of their threads is spared looking at each.
    seen: ctx.actor.projects === null ? own : sql<boolean>`(${own} and exists (select ${thread}))`,
    join: sql``,
  }
}

/** Threads by their titles and by the best of their messages. */
const threads = searchKinds({
  kind: 'thread',
  list: 'threads',
  row: Type.Composite([threadSchema, Type.Object(hit)]),
  async search(ctx, request) {
    if (request.words.length === 0) return []
    const ranking = findTexts(textsOf(ctx, sql`${messages} union all ${titles}`), request)
    const { rows } = await sql<{ hit: object; content: string | null; score: number }>`
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
    return hitsOf(rows, request)
  },
})

/** Single messages: digests of calls and what chat front ends posted. */
const threadMessages = searchKinds({
  kind: 'thread_message',
  list: 'thread_messages',
  row: Type.Object({
    id: Type.String(),
    thread_id: Type.String(),
    thread_title: Type.Optional(Type.String()),
    role: Type.String(),
    created_at: Type.String(),
    ...hit,
  }),
  async search(ctx, request) {
    if (request.words.length === 0) return []
    const ranking = findTexts(textsOf(ctx, messages), request)
    const { rows } = await sql<{ hit: object; content: string; score: number }>`
      with ${ranking}
      select jsonb_strip_nulls(jsonb_build_object('id', m.id, 'thread_id', t.id, 'thread_title', t.title, 'role', m.role,
        'created_at', ${iso('m.created_at')})) as hit, m.content, r.score::float8 as score
      from found r join conversations.messages m on m.owner_id = r.owner_id and m.id = r.item_id
      join conversations.threads t on t.owner_id = m.owner_id and t.id = m.thread_id
      order by r.place limit ${request.limit}
    `.execute(ctx.db)
    return hitsOf(rows, request)
  },
})

function hitsOf(
  rows: readonly { readonly hit: object; readonly content: string | null; readonly score: number }[],
  { words }: KindRequest,
): object[] {
  const marker = markerFor(words)
  return rows.map(({ hit: row, content, score }) => {
    const snippet = content === null ? '' : (marker.mark(content) ?? beginning(content))
    return { ...row, ...(snippet !== '' && { snippet }), score: Number(score.toPrecision(4)) }
  })
}

/** What conversations add to searches. */
export const onSearch = [
  threads,
  threadMessages,
  vectorTables({
    table: 'conversations.messages',
    // A digest says what it is about in its title alone; many have none, and would cost as much as what people said.
    text: sql`case when t.tool is null then t.content else t.title end`,
  }),
  vectorTables({ table: 'conversations.threads', text: sql`t.title` }),
]
