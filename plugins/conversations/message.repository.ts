import { compare, deleteWhere, fixedPlan, idIs, iso, recordset, rowExists, sql, uuid } from 'tasuki/plugin'
import type { Condition, RawBuilder, ReadContext, WriteContext } from 'tasuki/plugin'
import { ANALYZER, indexText, makeVectors, textVector } from '../search/index.ts'
import { keepOpenThread, setCurrentThread, isVisibleThread, type Party } from './thread.repository.ts'

/** The message `m` as one jsonb record. */
const messageJson: RawBuilder<{ id: string }> =
  sql`jsonb_strip_nulls(jsonb_build_object('id', m.id, 'role', m.role, 'content', m.content, 'tool', m.tool,
  'refs', m.refs, 'outcome', m.outcome, 'created_at', ${iso('m.created_at')}))`

/** A message from a front end. */
export interface PostedMessage {
  readonly role: 'user' | 'assistant' | 'system'
  readonly content: string
}

/** Adds messages to a thread of the caller and makes it the current thread of its party. @returns nothing if there is no such thread */
export async function insertMessages(ctx: WriteContext, threadId: string, messages: readonly PostedMessage[]) {
  const contents = messages.map(({ content }) => content)
  const vectors = await makeVectors(ctx, contents)
  const indexed: string[] = []
  for (const { content } of messages) indexed.push((await indexText('', content)).tsv)
  const added = messages.map(({ role, content }, n) => ({
    id: uuid(),
    role,
    content,
    tsv: indexed[n],
    code: vectors[n]?.code,
    vector: vectors[n]?.vector,
    model: vectors[n]?.model,
  }))
  const columns = {
    id: 'uuid',
    role: 'text',
    content: 'text',
    tsv: 'text',
    code: 'text',
    vector: 'text',
    model: 'text',
  } as const
  const { rows } = await sql<{ message: object }>`
    with t as (
      update conversations.threads t set messages = t.messages + ${added.length}::int, last_at = greatest(t.last_at, ${ctx.now}), closed_at = null
      where t.id = ${threadId} and ${isVisibleThread(ctx)} returning t.*),
    c as (${setCurrentThread}),
    m as (
      insert into conversations.messages (owner_id, id, thread_id, role, content, tsv, analyzer, code, vector, model, created_at)
      select t.owner_id, v.id, t.id, v.role, v.content, v.tsv::tsvector, ${sql.lit(ANALYZER)}, v.code::bit varying, v.vector::real[], v.model, ${ctx.now}::timestamptz
      from t cross join ${recordset('v', columns, added)} returning *)
    select ${messageJson} as message from m order by m.id
  `.execute(ctx.db)
  return rows.map(({ message }) => message)
}

/** Reads messages of a thread of the caller, oldest first, after a given one. @returns undefined if there is no such thread */
export async function readMessages(ctx: ReadContext, threadId: string, limit: number, after: string | undefined) {
  const { rows } = await sql<{ messages: { id: string }[] | null }>`
    select (
      select jsonb_agg(x.message order by x.id) from (
        select m.id, ${messageJson} as message from conversations.messages m
        where m.owner_id = t.owner_id and m.thread_id = t.id and ${after === undefined ? sql.lit(true) : compare('m.id', '>', after)}
        order by m.id limit ${limit}) x) as messages
    from conversations.threads t where t.id = ${threadId} and ${isVisibleThread(ctx)}
  `.execute(ctx.db)
  return rows[0] && (rows[0].messages ?? [])
}

/** Finds a message in a thread that the caller may see. @param threadId the thread, if the call names one */
export function findMessage(ctx: ReadContext, id: string, threadId: string | undefined) {
  return ctx.db
    .selectFrom('conversations.messages as m')
    .innerJoin('conversations.threads as t', join =>
      join.onRef('t.owner_id', '=', 'm.owner_id').onRef('t.id', '=', 'm.thread_id'),
    )
    .select('m.owner_id as ownerId')
    .where('m.id', '=', id)
    .where(isVisibleThread(ctx))
    .$if(threadId !== undefined, query => query.where(idIs('t.id', threadId!.toLowerCase())))
    .executeTakeFirst()
}

/** Condition that the message of the attachment `a` exists. */
export const parentExists: Condition = rowExists('conversations.messages', {
  owner_id: 'a.owner_id',
  id: 'a.parent_id',
})

export async function deleteMessages(ctx: WriteContext, ownerId: string, threadId: string): Promise<void> {
  await deleteWhere(ctx.db, 'conversations.messages', { owner_id: ownerId, thread_id: threadId })
}

/** Deletes messages older than the given time, and updates the counts of their threads. */
export async function deleteOldMessages(ctx: WriteContext, before: Date): Promise<void> {
  await sql`
    with gone as (delete from conversations.messages where created_at < ${before} returning owner_id, thread_id)
    update conversations.threads t set messages = greatest(t.messages - g.messages, 0)
    from (select owner_id, thread_id, count(*)::int as messages from gone group by owner_id, thread_id) g
    where t.owner_id = g.owner_id and t.id = g.thread_id
  `.execute(ctx.db)
}

/** The digest of a tool call. */
export interface Digest extends Party {
  readonly id: string
  readonly content: string
  readonly tool: string
  readonly title: string | null
  readonly refs: readonly string[]
  readonly outcome: string
  readonly at: Date
}

/** Adds digests of calls to the current threads of their parties, and opens missing threads. A job adds the vectors later. */
export async function insertDigests(ctx: WriteContext, digests: readonly Digest[]): Promise<void> {
  // Clients repeat calls: each party, and the text of equal digests, is sent once.
  const parties = new Numbered<object>()
  const texts = new Numbered<object>()
  const rows = digests.map(({ ownerId, credential, client, id, content, tool, title, refs, outcome, at }) => {
    const party = parties.place(`${ownerId} ${credential} ${client}`, n => ({
      party: n,
      owner_id: ownerId,
      credential,
      client,
      // Id of the new thread if the party has none.
      fresh: uuid(),
    }))
    // The outcome and the number of references determine where the title starts in the content.
    const saying = texts.place(`${outcome} ${refs.length} ${content}`, n => {
      return { saying: n, content, tool, title, refs, outcome, tsv: textVector('', content) }
    })
    return { party, saying, id, ms: at.getTime() }
  })
  // Deleted users keep nothing; a deletion waits for pending digests, so that it also deletes them. A fixed plan also fixes the plan of
  // each message's thread check, which would otherwise be planned per message.
  await sql`
    with ${fixedPlan} given as materialized (
      select p.*, s.*, r.id, to_timestamp(r.ms / 1000.0) as at
      from json_to_recordset(${JSON.stringify(rows)}::json) as r (party int, saying int, id uuid, ms float8)
      join json_to_recordset(${JSON.stringify(parties.all)}::json) as p (party int, owner_id uuid, credential text, client text, fresh uuid)
        using (party)
      join (select o.saying, o.content, o.tool, o.title, o.refs, o.outcome, o.tsv::tsvector as tsv
        from json_to_recordset(${JSON.stringify(texts.all)}::json) as o (saying int, content text, tool text, title text, refs jsonb,
          outcome text, tsv text)) s using (saying)),
    owners as materialized (
      select u.id from core.users u where u.id in (select owner_id from given) order by u.id for key share),
    parties as (
      select owner_id, credential, client, fresh, count(*)::int as messages, min(at) as first_at, max(at) as last_at
      from given join owners on owners.id = owner_id group by owner_id, credential, client, fresh),
    c as (
      insert into conversations.current as c (owner_id, credential, client, thread_id, last_at)
      select owner_id, credential, client, fresh, last_at from parties order by owner_id, credential, client
      on conflict (owner_id, credential, client) do update set ${keepOpenThread} returning c.*),
    t as (
      insert into conversations.threads as t (owner_id, id, credential, client, tsv, analyzer, messages, started_at, last_at)
      select c.owner_id, c.thread_id, c.credential, c.client, ''::tsvector, ${sql.lit(ANALYZER)}, p.messages, p.first_at, p.last_at
      from c join parties p on p.owner_id = c.owner_id and p.credential = c.credential and p.client = c.client
      on conflict (owner_id, id) do update set messages = t.messages + excluded.messages, last_at = greatest(t.last_at, excluded.last_at),
        closed_at = null)
    insert into conversations.messages (owner_id, id, thread_id, role, content, tool, title, refs, outcome, tsv, analyzer, created_at)
    select g.owner_id, g.id, c.thread_id, 'tool', g.content, g.tool, g.title, g.refs, g.outcome, g.tsv, ${sql.lit(ANALYZER)}, g.at
    from given g join c on c.owner_id = g.owner_id and c.credential = g.credential and c.client = g.client
  `.execute(ctx.db)
}

/** Deduplicates values by key, and numbers them in order of arrival. */
class Numbered<T> {
  readonly all: T[] = []
  readonly #places = new Map<string, number>()
  /** @returns the number of the value with that key */
  place(key: string, make: (n: number) => T): number {
    let n = this.#places.get(key)
    if (n === undefined) {
      n = this.all.length
      this.#places.set(key, n)
      this.all.push(make(n))
    }
    return n
  }
}
