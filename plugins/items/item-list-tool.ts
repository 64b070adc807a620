import { defineTool, pageOffset, Type, type Expression, type ReadContext, type TObject, type Tool } from 'tasuki/plugin'
import { readListWithItem } from './read-with-item.ts'
import { itemRef } from './refs.ts'

interface ItemListTool extends Required<Pick<Tool, 'name' | 'title' | 'summary' | 'rank' | 'rows'>> {
  readonly row: TObject
  /** Description of `item_ref`, if the tool takes other forms than KEY#n. */
  readonly ref?: string
  /** The list may be larger than a result: the tool takes `offset`. */
  readonly paged?: boolean
  /** Selects the rows that belong to the item `i` as one json array; null for none. */
  sql(ctx: ReadContext): Expression<unknown>
}

/** Defines a tool that lists the records of one kind that belong to an item. */
export function defineItemListTool({ row, ref, paged = false, sql, ...head }: ItemListTool) {
  return defineTool({
    ...head,
    class: 'R',
    input: { item_ref: itemRef(ref), ...(paged && { offset: pageOffset }) },
    output: { [head.rows]: Type.Array(row) },
    async run(ctx, { item_ref, offset }) {
      const list = await readListWithItem<Record<string, unknown>>(ctx, item_ref, sql(ctx))
      return { [head.rows]: list.slice(offset) }
    },
  })
}
