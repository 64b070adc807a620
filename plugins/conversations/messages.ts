import { choice, iso, sql, Type, uuid, type RawBuilder, type ReadContext, type WriteContext } from 'tasuki/plugin'
import { textVector, writtenVectors } from '../search/index.ts'
import { seenThread, threadNotFound } from './thread.ts'

export const CONTENT_MAX = 32_000
/** Roles of what chat front ends post; `tool` is for the digests of calls. */
export const POSTED_ROLES = ['user', 'assistant', 'system'] as const

/** A message as front ends post it. */
export const postedMessage = {
  role: choice(POSTED_ROLES, { description: 'Who said it.' }),
  content: Type.String({ minLength: 1, maxLength: CONTENT_MAX, description: 'Markdown.' }),
}
export interface PostedMessage {
  readonly role: (typeof POSTED_ROLES)[number]
  readonly content: string
}

/** A message as answers show it. */
const shown: RawBuilder<object> = sql`jsonb_strip_nulls(jsonb_build_object('id', m.id, 'role', m.role, 'content', m.content, 'tool', m.tool,
  'refs', m.refs, 'outcome', m.outcome, 'created_at', ${iso('m.created_at')}))`

/**
 * Adds messages to a thread of the caller, in one statement. The thread goes on, and opens again if it was closed: it is the current one
 * of its credential and client.
 * @throws ToolError not_found
 */
export async function postMessages(
  ctx: WriteContext,
  threadId: string,
  messages: readonly PostedMessage[],
): Promise<readonly object[]> {
  const vectors = await writtenVectors(
    ctx,
    messages.map(({ content }) => content),
  )
  const rows = messages.map(({ role, content }, n) => ({
    id: uuid(),
    role,
    content,
    tsv: textVector('', content),
    ...vectors[n],
  }))
  const { rows: added } = await sql<{ message: object }>`
    with t as (
      update conversations.threads t set messages = t.messages + ${rows.length}::int, last_at = greatest(t.last_at, ${ctx.now}), closed_at = null
      where t.id = ${threadId} and ${seenThread(ctx)} returning t.*),
    c as (
      insert into conversations.current (owner_id, credential, client, thread_id, last_at)
      select owner_id, credential, client, id, last_at from t
      on conflict (owner_id, credential, client) do update set thread_id = excluded.thread_id, last_at = excluded.last_at),
    m as (
      insert into conversations.messages (owner_id, id, thread_id, role, content, tsv, code, vector, model, created_at)
      select t.owner_id, v.id, t.id, v.role, v.content, v.tsv::tsvector, v.code::bit varying, v.vector::real[], v.model, ${ctx.now}::timestamptz
      from t cross join jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as v (id uuid, role text, content text, tsv text, code text, vector text, model text) returning *)
    select ${shown} as message from m order by m.id
  `.execute(ctx.db)
  if (added.length === 0) throw threadNotFound(threadId)
  return added.map(({ message }) => message)
}

export interface MessagePage {
  readonly messages: readonly object[]
  readonly has_more: boolean
  /** Give it as `after` to go on; null = nothing was there. */
  readonly next_after: string | null
}

/** Messages of a thread of the caller, oldest first, after one of them, in one statement. @throws ToolError not_found */
export async function listMessages(
  ctx: ReadContext,
  threadId: string,
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
): Promise<MessagePage> {
  const { rows } = await sql<{ messages: { id: string }[] | null }>`
    select (
      select jsonb_agg(x.message order by x.id) from (
        select m.id, ${shown} as message from conversations.messages m
        where m.owner_id = t.owner_id and m.thread_id = t.id ${after === undefined ? sql`` : sql`and m.id > ${after}`}
        order by m.id limit ${limit + 1}) x) as messages
    from conversations.threads t where t.id = ${threadId} and ${seenThread(ctx)}
  `.execute(ctx.db)
  const [found] = rows
  if (!found) throw threadNotFound(threadId)
  const page = (found.messages ?? []).slice(0, limit)
  return {
    messages: page,
    has_more: (found.messages?.length ?? 0) > limit,
    next_after: page.at(-1)?.id ?? after ?? null,
  }
}
