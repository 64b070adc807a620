import type { ReadContext } from 'tasuki/plugin'
import { itemFrom, readItems, type Row, type Shape, type Slice } from './read.ts'
import { matchRef, readRef, refsCondition } from './refs.ts'

/**
 * Reads one item whole, in one statement.
 * @param field the parameter that the reference came from
 * @throws ToolError not_found, ambiguous_ref, invalid_argument
 */
export async function readItem(ctx: ReadContext, text: string, field: string, detail: Slice): Promise<Row> {
  const shape: Shape = { flags: 'single', detail }
  const ref = readRef(ctx, text, field)
  const rows = await readItems(ctx, refsCondition(ctx, [ref]), shape)
  return itemFrom(ctx, shape, matchRef(ctx, ref, rows, text, field).columns)
}
