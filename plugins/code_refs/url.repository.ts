import {
  insertIf,
  iso,
  overwrite,
  sql,
  type Condition,
  type Expression,
  type NewRow,
  type WriteContext,
} from 'tasuki/plugin'
import { hasRowIn, type ItemKey } from '../items/index.ts'

type Url = Pick<NewRow<'code_refs.urls'>, 'url' | 'title'>

/** Condition that the item `i` has a URL added by a user. */
export const hasUrl: Condition = hasRowIn('code_refs.urls')

/** The URLs of the item `i`, as the column `urls`; null for none. */
export const foundUrls: Expression<unknown> = sql`(select jsonb_agg(jsonb_build_object('url', u.url, 'title', u.title, 'created_at', ${iso('u.created_at')}))
    from code_refs.urls u where u.owner_id = i.owner_id and u.item_id = i.id) as urls`

/** Adds a URL to an item, or updates its title. @returns false if the item already has `most` URLs */
export async function upsertUrl(ctx: WriteContext, { ownerId, id }: ItemKey, { url, title }: Url, most: number) {
  const hasRoom = sql<boolean>`(
    select count(*) from code_refs.urls u where u.owner_id = ${ownerId} and u.item_id = ${id} and u.url <> ${url}) < ${most}`
  const row = { owner_id: ownerId, item_id: id, url, title, created_at: ctx.now }
  const { numInsertedOrUpdatedRows: rows } = await insertIf(ctx.db, 'code_refs.urls', row, hasRoom)
    .onConflict(overwrite(['owner_id', 'item_id', 'url'], ['title']))
    .executeTakeFirst()
  return Number(rows) > 0
}

/** Removes a URL from an item. @returns false if the item does not have it */
export async function deleteUrl(ctx: WriteContext, { ownerId, id }: ItemKey, url: string): Promise<boolean> {
  const { numDeletedRows } = await ctx.db
    .deleteFrom('code_refs.urls')
    .where(({ and }) => and({ owner_id: ownerId, item_id: id, url }))
    .executeTakeFirst()
  return numDeletedRows > 0n
}
