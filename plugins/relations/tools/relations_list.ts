import { defineItemListTool } from '../../items/index.ts'
import { relationsOfItem } from '../relation.repository.ts'
import { relation } from '../relation.ts'

export const relationsList = defineItemListTool({
  name: 'relations_list',
  title: 'List links of an item',
  summary: 'Lists the relations of an item, parent and children included.',
  rank: 260,
  rows: 'relations',
  row: relation,
  paged: true,
  sql: relationsOfItem,
})
