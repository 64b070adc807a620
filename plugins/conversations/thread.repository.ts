import { allOf, compare, expressions, iso, MINUTE_MS, negate, overwrite, rowExists, sql, uuid } from 'tasuki/plugin'
import type { Actor, Condition, Expression, NewRow, RawBuilder, ReadContext, Static, WriteContext } from 'tasuki/plugin'
import { ANALYZER, makeVectors, textVector } from '../search/index.ts'
import type { threadSchema } from './thread.ts'

export type ThreadRecord = Static<typeof threadSchema>

/** Minutes without a message until a thread is idle. */
const IDLE_MINUTES = 30

/** The party of a conversation: each user, credential and client has its own threads. */
export interface Party {
  readonly ownerId: string
  readonly credential: string
  readonly client: string
}

export function partyOf({ userId, credentialId, client }: Pick<Actor, 'userId' | 'credentialId' | 'client'>): Party {
  return { ownerId: userId, credential: credentialId ?? userId, client: client ?? '' }
}

/**
 * Returns the condition that the caller may see the thread `t`: the user's own. A credential with a project scope sees only its own
 * threads, since others may be about other projects.
 */
export function isVisibleThread(ctx: ReadContext): Condition {
  const { ownerId, credential } = partyOf(ctx.actor)
  const own = compare('t.owner_id', '=', ownerId)
  return ctx.actor.projects === null ? own : allOf([own, compare('t.credential', '=', credential)])
}

/** Returns the time before which a thread without a message is idle. */
function idleSince(now: Date): string {
  return new Date(now.getTime() - IDLE_MINUTES * MINUTE_MS).toISOString()
}

/** Returns the condition that the thread `t` is open. */
export function isOpen({ now }: ReadContext): Condition {
  return allOf([compare('t.closed_at', 'is', null), compare('t.last_at', '>=', idleSince(now))])
}

/** Returns the condition for the caller's current thread `c`, if it is open. */
export function isCurrent({ now, actor }: ReadContext): Condition {
  const { ownerId, credential, client } = partyOf(actor)
  const current = expressions<{ c: 'conversations.current' }>()
  return current.and([
    current.and({ 'c.owner_id': ownerId, 'c.credential': credential, 'c.client': client }),
    current('c.last_at', '>=', idleSince(now)),
  ])
}

/** Returns SQL for the thread `t` as one jsonb record. */
export function threadJson(ctx: ReadContext): RawBuilder<ThreadRecord> {
  return sql`jsonb_strip_nulls(jsonb_build_object('id', t.id, 'title', t.title, 'client', nullif(t.client, ''), 'started_at', ${iso('t.started_at')},
    'last_at', ${iso('t.last_at')}, 'open', ${isOpen(ctx)}, 'messages', t.messages))`
}

/** Sets the current thread `c`: keeps the open one, else uses the new one. */
export const keepOpenThread: Expression<unknown> = sql`
  thread_id = case when c.last_at < excluded.last_at - interval '1 minute' * ${sql.lit(IDLE_MINUTES)} then excluded.thread_id else c.thread_id end,
  last_at = greatest(c.last_at, excluded.last_at)`

/** Makes the thread of the common table expression `t` the current one of its party. */
export const setCurrentThread: Expression<unknown> = sql`
  insert into conversations.current (owner_id, credential, client, thread_id, last_at)
  select owner_id, credential, client, id, last_at from t
  on conflict (owner_id, credential, client) do update set thread_id = excluded.thread_id, last_at = excluded.last_at`

/** Finds the caller's current thread or opens one. @returns its id */
export async function ensureThread(ctx: WriteContext): Promise<string> {
  const { ownerId, credential, client } = partyOf(ctx.actor)
  const { rows } = await sql<{ id: string }>`
    with c as (
      insert into conversations.current as c (owner_id, credential, client, thread_id, last_at)
      values (${ownerId}, ${credential}, ${client}, ${uuid()}, ${ctx.now})
      on conflict (owner_id, credential, client) do update set ${keepOpenThread} returning c.*),
    t as (
      insert into conversations.threads as t (owner_id, id, credential, client, tsv, analyzer, messages, started_at, last_at)
      select c.owner_id, c.thread_id, c.credential, c.client, ''::tsvector, ${sql.lit(ANALYZER)}, 0, ${ctx.now}::timestamptz, ${ctx.now}::timestamptz from c
      on conflict (owner_id, id) do update set last_at = greatest(t.last_at, excluded.last_at), closed_at = null)
    select thread_id as id from c
  `.execute(ctx.db)
  return rows[0]!.id
}

/** Opens a thread and makes it the current one of its party. */
export async function insertThread(
  ctx: WriteContext,
  { client, title }: { readonly client?: string | undefined; readonly title?: string | undefined },
): Promise<ThreadRecord> {
  const party = { ...partyOf(ctx.actor), ...(client !== undefined && { client }) }
  const [{ code = null, vector = null, model = null } = {}] = await makeVectors(ctx, [title ?? null])
  const { rows } = await sql<{ thread: ThreadRecord }>`
    with t as (
      insert into conversations.threads as t (owner_id, id, credential, client, title, tsv, analyzer, code, vector, model, messages, started_at, last_at)
      values (${party.ownerId}, ${uuid()}, ${party.credential}, ${party.client}, ${title ?? null}, ${textVector(title ?? '', '')}::tsvector,
        ${sql.lit(ANALYZER)}, ${code}::text::bit varying, ${vector}::text::real[], ${model}, 0, ${ctx.now}, ${ctx.now})
      returning t.*),
    c as (${setCurrentThread})
    select ${threadJson(ctx)} as thread from t
  `.execute(ctx.db)
  return rows[0]!.thread
}

/** Reads the caller's threads, latest first. */
export async function readThreads(ctx: ReadContext, limit: number, offset: number): Promise<ThreadRecord[]> {
  const rows = await ctx.db
    .selectFrom('conversations.threads as t')
    .select(threadJson(ctx).as('thread'))
    .where(isVisibleThread(ctx))
    .orderBy('t.last_at', 'desc')
    .orderBy('t.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  return rows.map(({ thread }) => thread)
}

export async function findThread(ctx: ReadContext, id: string): Promise<ThreadRecord | undefined> {
  const row = await ctx.db
    .selectFrom('conversations.threads as t')
    .select(threadJson(ctx).as('thread'))
    .where('t.id', '=', id)
    .where(isVisibleThread(ctx))
    .executeTakeFirst()
  return row?.thread
}

/** Deletes a thread of the caller, without its messages. */
export function deleteThreadRow(ctx: WriteContext, id: string) {
  return ctx.db
    .deleteFrom('conversations.threads as t')
    .where('t.id', '=', id)
    .where(isVisibleThread(ctx))
    .returning(['t.owner_id as ownerId', 't.messages'])
    .executeTakeFirst()
}

/** Closes idle threads. */
export async function closeThreads(ctx: WriteContext): Promise<void> {
  await ctx.db
    .updateTable('conversations.threads')
    .set(({ ref }) => ({ closed_at: ref('last_at') }))
    .where('closed_at', 'is', null)
    .where('last_at', '<', idleSince(ctx.now))
    .execute()
  await ctx.db.deleteFrom('conversations.current').where('last_at', '<', idleSince(ctx.now)).execute()
}

/** Deletes old threads without messages. */
export async function deleteEmptyThreads(ctx: WriteContext, before: Date): Promise<void> {
  await ctx.db
    .deleteFrom('conversations.threads as t')
    .where('t.last_at', '<', before.toISOString())
    .where('t.messages', '=', 0)
    .where(negate(rowExists('conversations.messages', { owner_id: 't.owner_id', thread_id: 't.id' })))
    .execute()
}

/** Binds a note to a thread as its plan, replacing the former one. */
export async function upsertPlan(ctx: WriteContext, plan: Omit<NewRow<'conversations.plans'>, 'bound_at'>) {
  await ctx.db
    .insertInto('conversations.plans')
    .values({ ...plan, bound_at: ctx.now })
    .onConflict(overwrite(['owner_id', 'thread_id'], ['item_owner_id', 'item_id', 'bound_at']))
    .execute()
}

/** Deletes plans whose note no longer exists. */
export async function deleteOrphanPlans(ctx: WriteContext): Promise<void> {
  await ctx.db
    .deleteFrom('conversations.plans as pl')
    .where(negate(rowExists('items.items', { owner_id: 'pl.item_owner_id', id: 'pl.item_id' })))
    .execute()
}
