import { defineTool, Type } from 'tasuki/plugin'
import { itemRef } from '../../items/index.ts'
import { readRelationsOfItem } from '../relation.repository.ts'
import { relation } from '../relation.ts'

export const relationsList = defineTool({
  name: 'relations_list',
  class: 'R',
  title: 'List links of an item',
  summary: 'Lists the relations of an item, parent and children included.',
  rank: 260,
  rows: 'relations',
  input: { item_ref: itemRef() },
  output: { relations: Type.Array(relation) },
  async run(ctx, { item_ref: ref }) {
    return { relations: await readRelationsOfItem(ctx, ref) }
  },
})
