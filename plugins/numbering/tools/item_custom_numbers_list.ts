import { defineTool, Type } from 'tasuki/plugin'
import { itemRef } from '../../items/index.ts'
import { readNumbersOfItem } from '../number.repository.ts'
import { itemNumber } from '../number.ts'

export const itemCustomNumbersList = defineTool({
  name: 'item_custom_numbers_list',
  class: 'R',
  title: 'List numbers of an item',
  summary: 'Lists the numbers and links of an item across numbering series.',
  rank: 920,
  rows: 'custom_numbers',
  input: { item_ref: itemRef('KEY#n, #n or PREFIX-n.') },
  output: { custom_numbers: Type.Array(itemNumber) },
  async run(ctx, { item_ref: ref }) {
    return { custom_numbers: await readNumbersOfItem(ctx, ref) }
  },
})
