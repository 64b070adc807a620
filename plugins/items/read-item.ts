import type { ReadContext } from 'tasuki/plugin'
import { readItemsByRef, type Row } from './item-columns.repository.ts'
import type { Shape, Slice } from './item-shape.ts'
import { itemFrom } from './read.ts'
import { matchRef, readRef } from './refs.ts'

/**
 * Reads one item with all its fields, in one statement.
 * @param field name of the reference's parameter
 * @throws ToolError not_found, ambiguous_ref, invalid_argument
 */
export async function readItem(ctx: ReadContext, text: string, field: string, detail: Slice): Promise<Row> {
  const shape: Shape = { flags: 'single', detail }
  const ref = readRef(ctx, text, field)
  const rows = await readItemsByRef(ctx, ref, shape)
  return itemFrom(ctx, shape, matchRef(ctx, ref, rows, text, field).columns)
}
