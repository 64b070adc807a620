import { guarded, Type, type WriteContext } from 'tasuki/plugin'
import { itemRef, requireItem, requireItemUnchanged } from '../items/index.ts'
import { lockSeries } from './series.ts'

/** The parameters of tools that change an item's number in a series. */
export const numberedItem = {
  item_ref: itemRef('KEY#n or PREFIX-n.'),
  series_key: guarded(Type.String({ description: 'Numbering series.' }), { minLength: 1, maxLength: 40 }),
}

/** Finds and locks an item and a series of its owner. @throws ToolError not_found, forbidden, stale_write */
export async function lockNumberedItem(
  ctx: WriteContext,
  { item_ref: ref, series_key: key }: { readonly item_ref: string; readonly series_key: string },
) {
  const item = await requireItem(ctx, ref, { write: true, lock: true })
  requireItemUnchanged(ctx, item)
  return { item, series: await lockSeries(ctx, { ownerId: item.ownerId, seen: true }, key) }
}
