import { sql, type RawBuilder, type ReadContext } from 'tasuki/plugin'
import { itemJoins } from './find.ts'
import { matchRef, ownerEmail, readRef, refsCondition, type RefRow } from './refs.ts'

/**
 * Reads something that hangs on one item, together with finding the item, in one statement.
 * @param columns select list over the item `i`, its project `p` and its state `s`
 * @param field name of the parameter, for errors
 * @throws ToolError not_found, ambiguous_ref, invalid_argument
 */
export async function readWithItem<T extends object>(
  ctx: ReadContext,
  text: string,
  columns: RawBuilder<unknown>,
  field = 'item_ref',
): Promise<T & RefRow> {
  const ref = readRef(ctx, text, field)
  const { rows } = await sql<T & RefRow>`
    select ${columns}, i.owner_id as "ownerId", i.number, p.key, i.former_keys as "formerKeys", ${ownerEmail(ctx)} as "ownerEmail"
    from items.items i ${itemJoins} where ${refsCondition(ctx, [ref])}
  `.execute(ctx.db)
  return matchRef(ctx, ref, rows, text, field)
}
