import {
  iso,
  sql,
  ToolError,
  Type,
  uuid,
  type Actor,
  type RawBuilder,
  type ReadContext,
  type WriteContext,
} from 'tasuki/plugin'
import { textVector, writtenVectors } from '../search/index.ts'

/** Minutes without a message after which a thread is over. */
export const IDLE_MINUTES = 30

/** Who is in a conversation: threads are apart per user, credential and client program. */
export interface Party {
  readonly ownerId: string
  readonly credential: string
  readonly client: string
}

export function partyOf({ userId, credentialId, client }: Pick<Actor, 'userId' | 'credentialId' | 'client'>): Party {
  return { ownerId: userId, credential: credentialId ?? userId, client: client ?? '' }
}

/**
 * Condition that keeps threads which the caller may see: the user's own. A credential that is limited to some projects sees what it did
 * itself, since others may have spoken of other projects.
 */
export function seenThread(ctx: ReadContext, alias = 't'): RawBuilder<boolean> {
  const { ownerId, credential } = partyOf(ctx.actor)
  const own = sql<boolean>`${sql.ref(`${alias}.owner_id`)} = ${ownerId}`
  return ctx.actor.projects === null ? own : sql`(${own} and ${sql.ref(`${alias}.credential`)} = ${credential})`
}

/** A thread as answers show it. */
export const threadSchema = Type.Object({
  id: Type.String(),
  title: Type.Optional(Type.String()),
  client: Type.Optional(Type.String()),
  started_at: Type.String(),
  last_at: Type.String(),
  open: Type.Boolean(),
  messages: Type.Integer(),
})

/** The instant before which a thread without a message is over. */
function idleSince(now: Date): RawBuilder<Date> {
  return sql<Date>`(${now}::timestamptz - interval '1 minute' * ${sql.lit(IDLE_MINUTES)})`
}

/** jsonb object of the thread `t`. */
export function threadJson(ctx: ReadContext): RawBuilder<unknown> {
  return sql`jsonb_strip_nulls(jsonb_build_object('id', t.id, 'title', t.title, 'client', nullif(t.client, ''), 'started_at', ${iso('t.started_at')},
    'last_at', ${iso('t.last_at')}, 'open', ${isOpen(ctx, 't')}, 'messages', t.messages))`
}

/** Whether a thread, or the current one of a party, goes on. */
export function isOpen({ now }: ReadContext, alias: string): RawBuilder<boolean> {
  const last = sql.ref(`${alias}.last_at`)
  return alias === 't'
    ? sql<boolean>`(t.closed_at is null and ${last} >= ${idleSince(now)})`
    : sql<boolean>`(${last} >= ${idleSince(now)})`
}

/** The thread that the caller is in, opened where there is none, in one statement. @returns its id */
export async function currentThread(ctx: WriteContext): Promise<string> {
  const { ownerId, credential, client } = partyOf(ctx.actor)
  const { rows } = await sql<{ id: string }>`
    with c as (
      insert into conversations.current as c (owner_id, credential, client, thread_id, last_at)
      values (${ownerId}, ${credential}, ${client}, ${uuid()}, ${ctx.now})
      on conflict (owner_id, credential, client) do update set ${continued} returning c.*),
    t as (
      insert into conversations.threads as t (owner_id, id, credential, client, tsv, messages, started_at, last_at)
      select c.owner_id, c.thread_id, c.credential, c.client, ''::tsvector, 0, ${ctx.now}::timestamptz, ${ctx.now}::timestamptz from c
      on conflict (owner_id, id) do update set last_at = greatest(t.last_at, excluded.last_at), closed_at = null)
    select thread_id as id from c
  `.execute(ctx.db)
  return rows[0]!.id
}

/** Takes the thread that goes on, else the one that was brought. */
export const continued = sql`
  thread_id = case when c.last_at < excluded.last_at - interval '1 minute' * ${sql.lit(IDLE_MINUTES)} then excluded.thread_id else c.thread_id end,
  last_at = greatest(c.last_at, excluded.last_at)`

/** Opens a thread, which from now on is the current one of its party. @returns it as answers show it */
export async function openThread(
  ctx: WriteContext,
  { client, title }: { readonly client?: string | undefined; readonly title?: string | undefined },
): Promise<unknown> {
  const party = { ...partyOf(ctx.actor), ...(client !== undefined && { client }) }
  const [{ code = null, vector = null, model = null } = {}] = await writtenVectors(ctx, [title ?? null])
  const { rows } = await sql<{ thread: unknown }>`
    with t as (
      insert into conversations.threads as t (owner_id, id, credential, client, title, tsv, code, vector, model, messages, started_at, last_at)
      values (${party.ownerId}, ${uuid()}, ${party.credential}, ${party.client}, ${title ?? null}, ${textVector(title ?? '', '')}::tsvector,
        ${code}::text::bit varying, ${vector}::text::real[], ${model}, 0, ${ctx.now}, ${ctx.now})
      returning t.*),
    c as (
      insert into conversations.current (owner_id, credential, client, thread_id, last_at)
      select owner_id, credential, client, id, last_at from t
      on conflict (owner_id, credential, client) do update set thread_id = excluded.thread_id, last_at = excluded.last_at)
    select ${threadJson(ctx)} as thread from t
  `.execute(ctx.db)
  return rows[0]!.thread
}

/** @throws ToolError not_found */
export function threadNotFound(id: string): ToolError {
  return new ToolError('not_found', `There is no thread ${id}.`, {
    field: 'thread_id',
    hint: 'GET /api/threads lists your threads; POST /api/threads opens one.',
  })
}

export interface ThreadPage {
  readonly threads: readonly unknown[]
  readonly has_more: boolean
  readonly next_offset: number | null
}

/** The caller's threads, the last first. */
export async function listThreads(
  ctx: ReadContext,
  { limit = 20, offset = 0 }: { readonly limit?: number | undefined; readonly offset?: number | undefined },
): Promise<ThreadPage> {
  const { rows } = await sql<{ thread: unknown }>`
    select ${threadJson(ctx)} as thread from conversations.threads t where ${seenThread(ctx)}
    order by t.last_at desc, t.id desc limit ${limit + 1} offset ${offset}
  `.execute(ctx.db)
  const more = rows.length > limit
  return {
    threads: rows.slice(0, limit).map(({ thread }) => thread),
    has_more: more,
    next_offset: more ? offset + limit : null,
  }
}

/** @throws ToolError not_found */
export async function readThread(ctx: ReadContext, id: string): Promise<unknown> {
  const { rows } = await sql<{ thread: unknown }>`
    select ${threadJson(ctx)} as thread from conversations.threads t where t.id = ${id} and ${seenThread(ctx)}
  `.execute(ctx.db)
  if (!rows[0]) throw threadNotFound(id)
  return rows[0].thread
}

/** Deletes a thread with its messages. @returns how many there were. @throws ToolError not_found */
export async function deleteThread(ctx: WriteContext, id: string): Promise<number> {
  const { rows } = await sql<{ ownerId: string; messages: number }>`
    delete from conversations.threads t where t.id = ${id} and ${seenThread(ctx)} returning t.owner_id as "ownerId", t.messages
  `.execute(ctx.db)
  const [gone] = rows
  if (!gone) throw threadNotFound(id)
  // A statement of its own, since the first may have waited for one that added messages, and would not see them.
  await sql`delete from conversations.messages where owner_id = ${gone.ownerId} and thread_id = ${id}`.execute(ctx.db)
  return gone.messages
}
