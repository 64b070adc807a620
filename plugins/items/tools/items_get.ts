import { defineTool, guarded, Type } from 'tasuki/plugin'
import { shortenDetail, singleItem } from '../read.ts'
import { readItem } from '../read-item.ts'
import { DETAIL_LIMIT } from '../detail-edit.ts'
import { itemRef } from '../refs.ts'

export const itemsGet = defineTool({
  name: 'items_get',
  class: 'R',
  title: 'Get item',
  summary: 'Reads one task, note, event or template with its whole body. Long bodies in slices.',
  rank: 40,
  input: {
    item_ref: itemRef(),
    detail_offset: Type.Optional(
      guarded(Type.Integer({ default: 0, description: 'From detail_next_offset.' }), { minimum: 0 }),
    ),
    detail_max_chars: Type.Optional(guarded(Type.Integer({ description: 'Omit for the rest.' }), { minimum: 1 })),
  },
  output: all => Type.Object({ item: singleItem(all) }),
  async run(ctx, { item_ref: text, detail_offset: offset = 0, detail_max_chars: max }) {
    // More than any body has, and within the range of the database's integers.
    const slice = {
      offset: Math.min(offset, DETAIL_LIMIT),
      max: max === undefined ? null : Math.min(max, DETAIL_LIMIT),
    }
    return { item: await readItem(ctx, text, 'item_ref', slice) }
  },
  shorten: ({ item }, most, { detail_offset: offset }) => ({ item: shortenDetail(item, most, offset) }),
})
