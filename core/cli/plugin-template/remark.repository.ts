import { iso, uuid, type ReadContext, type WriteContext } from 'tasuki/plugin'
import type { ItemKey } from 'tasuki/plugins/items'

/** Reads the remarks on an item, oldest first. */
export function listRemarks(ctx: ReadContext, item: ItemKey) {
  return ctx.db
    .selectFrom('example.remarks')
    .select(['id', 'text', iso('created_at').as('created_at')])
    .where('owner_id', '=', item.ownerId)
    .where('item_id', '=', item.id)
    .orderBy('id')
    .execute()
}

/** Adds a remark to an item. @returns its id */
export async function insertRemark(ctx: WriteContext, item: ItemKey, text: string): Promise<string> {
  const id = uuid()
  await ctx.db
    .insertInto('example.remarks')
    .values({ owner_id: item.ownerId, id, item_id: item.id, text, created_at: ctx.now })
    .execute()
  return id
}
