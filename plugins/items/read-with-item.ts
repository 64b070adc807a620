import { parens, type AliasedExpression, type Expression, type ReadContext } from 'tasuki/plugin'
import { selectWithItem } from './item.repository.ts'
import { matchRef, readRef, type RefRow } from './refs.ts'

/**
 * Reads data of one item and finds the item in the same statement.
 * @param columns select list over the item `i`, its project `p` and its state `s`
 * @param field parameter name for errors
 * @throws ToolError not_found, ambiguous_ref, invalid_argument
 */
export async function readWithItem<T extends object>(
  ctx: ReadContext,
  text: string,
  columns: Expression<unknown> | AliasedExpression<unknown, string>,
  field = 'item_ref',
): Promise<T & RefRow> {
  const ref = readRef(ctx, text, field)
  return matchRef(ctx, ref, await selectWithItem<T>(ctx, ref, columns), text, field)
}

/** Reads a jsonb array about one item and finds the item in the same statement; null becomes empty. @param read a select of one column */
export async function readListWithItem<T>(
  ctx: ReadContext,
  text: string,
  read: Expression<unknown>,
  field?: string,
): Promise<T[]> {
  const { list } = await readWithItem<{ list: T[] | null }>(ctx, text, parens(read).as('list'), field)
  return list ?? []
}
