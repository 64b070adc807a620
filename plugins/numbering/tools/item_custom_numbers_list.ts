import { defineItemListTool } from '../../items/index.ts'
import { numbersOfItem } from '../number.repository.ts'
import { itemNumber } from '../number.ts'

export const itemCustomNumbersList = defineItemListTool({
  name: 'item_custom_numbers_list',
  title: 'List numbers of an item',
  summary: 'Lists the numbers and links of an item across numbering series.',
  rank: 920,
  rows: 'custom_numbers',
  row: itemNumber,
  ref: 'KEY#n or PREFIX-n.',
  sql: () => numbersOfItem,
})
