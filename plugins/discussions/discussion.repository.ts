import {
  iso,
  sql,
  uuid,
  type NewRow,
  type RawBuilder,
  type ReadContext,
  type Row,
  type WriteContext,
} from 'tasuki/plugin'
import { findItemRow, readWithItem, refOf, type ItemOfRow } from '../items/index.ts'
import { ofSeenOwner } from '../projects/index.ts'
import type { Discussion } from './discussion.ts'

/** Comments outlast their author in projects of others; the author of an imported one is as its file says. */
const authorName = (d: 'd' | 'r'): RawBuilder<string> =>
  sql`coalesce(${sql.ref(`${d}.author_name`)}, a.name, 'Deleted user')`

/** A discussion as one jsonb record, from the alias of its table and `a`, its author. */
const discussionJson = (ctx: ReadContext, d: 'd' | 'r'): RawBuilder<Discussion> => {
  const of = (column: keyof Row<'discussions.discussions'>) => sql.ref(`${d}.${column}`)
  return sql`jsonb_build_object('id', ${of('id')}, 'item_ref', ${refOf(ctx, `${d}.owner_id`, `${d}.item_id`)}, 'body', ${of('body')},
    'kind', ${of('kind')}, 'author', ${authorName(d)}, 'author_kind', ${of('author_kind')}, 'created_at', ${iso(`${d}.created_at`)},
    'updated_at', ${iso(`${d}.updated_at`)})`
}

const ofItem = sql`d.owner_id = i.owner_id and d.item_id = i.id`
const withAuthor = sql`discussions.discussions d left join core.users a on a.id = d.author_id`

/** The discussions of the item `i` as a jsonb array, newest first; null when there is none. */
export function newestOfItem(ctx: ReadContext, limit: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select jsonb_agg(n.discussion) from (
    select ${discussionJson(ctx, 'd')} as discussion from ${withAuthor} where ${ofItem} order by d.id desc limit ${limit}) n`
}

/** All that was said about the item `i` as a json array, oldest first; null when there is nothing. */
export const allOfItem: RawBuilder<unknown> = sql`select json_agg(json_build_object('author', ${authorName('d')}, 'at', ${iso('d.created_at')},
  'body', d.body, 'kind', nullif(d.kind, 'progress')) order by d.created_at, d.id) from ${withAuthor} where ${ofItem}`

/** How many discussions the item `i` has. */
export const countOfItem: RawBuilder<number> = sql`select count(*)::int from discussions.discussions d where ${ofItem}`

/** The texts of the item `i`. */
export const bodiesOfItem: RawBuilder<unknown> = sql`select jsonb_agg(d.body order by d.id) from discussions.discussions d where ${ofItem}`

/** The names of those who commented on the item `i`. */
export const authorsOfItem: RawBuilder<unknown> = sql`select jsonb_agg(distinct ${authorName('d')}) from ${withAuthor} where ${ofItem}`

type MayMatch = (column: string) => RawBuilder<boolean>

/** Selects the items of which a text may match. */
export function itemsByBody(ctx: ReadContext, mayMatch: MayMatch): RawBuilder<unknown> {
  return sql`select d.item_id from discussions.discussions d where ${ofSeenOwner(ctx, 'd')} and ${mayMatch('d.body')}`
}

/** Selects the items of which the name of an author may match. */
export function itemsByAuthor(ctx: ReadContext, mayMatch: MayMatch): RawBuilder<unknown> {
  return sql`select d.item_id from ${withAuthor} where ${ofSeenOwner(ctx, 'd')} and (${mayMatch('a.name')} or ${mayMatch('d.author_name')})`
}

/** The discussion that the attachment `a` hangs on is still there. */
export const parentExists: RawBuilder<boolean> = sql`exists (select from discussions.discussions d where d.owner_id = a.owner_id and d.id = a.parent_id)`

/** A discussion with the item that it belongs to. */
export interface FoundDiscussion extends ItemOfRow {
  readonly authorId: string
  readonly discussion: Discussion
}

/** Finds a discussion that the caller may see. */
export function findDiscussion(ctx: ReadContext, id: string, lock: boolean): Promise<FoundDiscussion | undefined> {
  const columns = sql`r.author_id as "authorId", ${discussionJson(ctx, 'r')} as discussion`
  return findItemRow<FoundDiscussion>(ctx, 'discussions.discussions', id, columns, {
    lock,
    joins: sql`left join core.users a on a.id = r.author_id`,
  })
}

/** Reads discussions of an item, newest first. */
export async function readDiscussions(
  ctx: ReadContext,
  ref: string,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<Discussion[]> {
  const page = newestOfItem(ctx, sql`${limit} offset ${offset}`)
  const { found } = await readWithItem<{ found: Discussion[] | null }>(ctx, ref, sql`(${page}) as found`)
  return found ?? []
}

export async function insertDiscussion(
  ctx: WriteContext,
  discussion: Pick<NewRow<'discussions.discussions'>, 'owner_id' | 'item_id' | 'body' | 'kind'>,
): Promise<Discussion> {
  const { discussion: inserted } = await ctx.db
    .with('d', db =>
      db
        .insertInto('discussions.discussions')
        .values({
          ...discussion,
          id: uuid(),
          author_id: ctx.actor.userId,
          author_kind: ctx.actor.kind,
          created_at: ctx.now,
          updated_at: ctx.now,
        })
        .returningAll(),
    )
    .selectFrom('d')
    .innerJoin('core.users as a', 'a.id', 'd.author_id')
    .select(discussionJson(ctx, 'd').as('discussion'))
    .executeTakeFirstOrThrow()
  return inserted
}

/** Adds imported comments. */
export async function insertImported(
  ctx: WriteContext,
  rows: readonly NewRow<'discussions.discussions'>[],
): Promise<void> {
  if (rows.length > 0) await ctx.db.insertInto('discussions.discussions').values(rows).execute()
}

export async function updateBody(ctx: WriteContext, ownerId: string, id: string, body: string): Promise<void> {
  await ctx.db
    .updateTable('discussions.discussions')
    .set({ body, updated_at: ctx.now })
    .where('owner_id', '=', ownerId)
    .where('id', '=', id)
    .execute()
}

export async function deleteDiscussion(ctx: WriteContext, ownerId: string, id: string): Promise<void> {
  await ctx.db.deleteFrom('discussions.discussions').where('owner_id', '=', ownerId).where('id', '=', id).execute()
}
