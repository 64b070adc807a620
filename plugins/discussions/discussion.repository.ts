import {
  deleteWhere,
  expressions,
  insertRecords,
  iso,
  refersTo,
  rowExists,
  sql,
  updateWhere,
  uuid,
} from 'tasuki/plugin'
import type {
  AliasableExpression,
  Condition,
  Expression,
  NewRow,
  RawBuilder,
  ReadContext,
  Row,
  WriteContext,
} from 'tasuki/plugin'
import { findItemRow, readListWithItem, refOf, type ItemOfRow } from '../items/index.ts'
import { isOfVisibleOwner } from '../projects/index.ts'
import type { Discussion } from './discussion.ts'

/** Comments survive their author in projects of others; an imported comment names its author as the file did. */
const authorName = (d: 'd' | 'r'): RawBuilder<string> =>
  sql`coalesce(${sql.ref(`${d}.author_name`)}, a.name, 'Deleted user')`

/** Returns SQL for a discussion as one jsonb record, from the alias of its table and its author `a`. */
const discussionJson = (ctx: ReadContext, d: 'd' | 'r'): RawBuilder<Discussion> => {
  const of = (column: keyof Row<'discussions.discussions'>) => sql.ref(`${d}.${column}`)
  return sql`jsonb_build_object('id', ${of('id')}, 'item_ref', ${refOf(ctx, `${d}.owner_id`, `${d}.item_id`)}, 'body', ${of('body')},
    'kind', ${of('kind')}, 'author', ${authorName(d)}, 'author_kind', ${of('author_kind')}, 'created_at', ${iso(`${d}.created_at`)},
    'updated_at', ${iso(`${d}.updated_at`)})`
}

const discussions = expressions<{ i: 'items.items' }>().selectFrom('discussions.discussions as d')
const ofItem = discussions.where(refersTo('d.item_id', 'i'))

/** Returns SQL for the discussions of the item `i` as a jsonb array, newest first; null for none. */
export function newestOfItem(ctx: ReadContext, limit: Expression<number>, offset = 0): Expression<unknown> {
  const page = ofItem
    .leftJoin('core.users as a', 'a.id', 'd.author_id')
    .select(discussionJson(ctx, 'd').as('discussion'))
    .orderBy('d.id', 'desc')
    .limit(limit)
    .offset(offset)
  return sql`select jsonb_agg(n.discussion) from ${page} n`
}

/** All discussions of the item `i` as a json array, oldest first; null for none. */
export const discussionsOfItem: Expression<unknown> = ofItem.leftJoin('core.users as a', 'a.id', 'd.author_id').select(
  sql`json_agg(json_build_object('author', ${authorName('d')}, 'at', ${iso('d.created_at')}, 'body', d.body,
    'kind', nullif(d.kind, 'progress')) order by d.created_at, d.id)`.as('discussions'),
)

/** The number of discussions of the item `i`. */
export const countOfItem: Expression<number> = ofItem
  .select(({ cast, fn }) => cast<number>(fn.countAll(), 'integer').as('count'))
  .$asScalar()

/** The bodies of the discussions of the item `i`. */
export const bodiesOfItem: Expression<unknown> = ofItem.select(({ fn }) =>
  fn.agg('jsonb_agg', ['d.body']).orderBy('d.id').as('texts'),
)

/** The names of the authors of comments on the item `i`. */
export const authorsOfItem: Expression<unknown> = ofItem
  .leftJoin('core.users as a', 'a.id', 'd.author_id')
  .select(({ fn }) =>
    fn
      .agg('jsonb_agg', [authorName('d')])
      .distinct()
      .as('names'),
  )

type MayMatch = (column: string) => Condition

/** Selects the items with a body that may match. */
export function itemsByBody(ctx: ReadContext, mayMatch: MayMatch): Expression<unknown> {
  return discussions.select('d.item_id').where(isOfVisibleOwner(ctx, 'd')).where(mayMatch('d.body'))
}

/** Selects the items with an author whose name may match. */
export function itemsByAuthor(ctx: ReadContext, mayMatch: MayMatch): Expression<unknown> {
  return discussions
    .leftJoin('core.users as a', 'a.id', 'd.author_id')
    .select('d.item_id')
    .where(isOfVisibleOwner(ctx, 'd'))
    .where(({ or }) => or([mayMatch('a.name'), mayMatch('d.author_name')]))
}

/** Condition that the discussion of the attachment `a` exists. */
export const parentExists: Condition = rowExists('discussions.discussions', {
  owner_id: 'a.owner_id',
  id: 'a.parent_id',
})

/** A discussion with its item. */
export interface FoundDiscussion extends ItemOfRow {
  readonly authorId: string
  readonly discussion: Discussion
}

/** Finds a discussion that the caller may see. */
export function findDiscussion(ctx: ReadContext, id: string, lock: boolean): Promise<FoundDiscussion | undefined> {
  const columns = sql.join([sql.ref('r.author_id').as('authorId'), discussionJson(ctx, 'r').as('discussion')])
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
  return readListWithItem<Discussion>(ctx, ref, newestOfItem(ctx, sql.val(limit), offset))
}

/** Whether the caller wrote a discussion, and the number of its files. */
export interface Authorship {
  readonly id: string
  readonly isOwn: boolean
  readonly files: number
}

/** Reads the authorship of discussions of an owner. @param files SQL for the number of files of the discussion `d` */
export function readAuthorship(
  ctx: ReadContext,
  ownerId: string,
  ids: readonly string[],
  files: AliasableExpression<number>,
): Promise<readonly Authorship[]> {
  return ctx.db
    .selectFrom('discussions.discussions as d')
    .where('d.owner_id', '=', ownerId)
    .where('d.id', 'in', ids)
    .select(({ eb }) => [
      'd.id',
      eb('d.author_id', '=', ctx.actor.userId).$castTo<boolean>().as('isOwn'),
      files.as('files'),
    ])
    .execute()
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

/** Inserts imported comments. */
export async function insertImported(ctx: WriteContext, rows: readonly NewRow<'discussions.discussions'>[]) {
  if (rows.length > 0) await insertRecords(ctx.db, 'discussions.discussions', rows).execute()
}

export async function updateBody(ctx: WriteContext, ownerId: string, id: string, body: string): Promise<void> {
  await updateWhere(ctx.db, 'discussions.discussions', { owner_id: ownerId, id }, { body, updated_at: ctx.now })
}

export async function deleteDiscussion(ctx: WriteContext, ownerId: string, id: string): Promise<void> {
  await deleteWhere(ctx.db, 'discussions.discussions', { owner_id: ownerId, id })
}
