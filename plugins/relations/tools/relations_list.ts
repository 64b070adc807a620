import { defineTool, sql, Type } from 'tasuki/plugin'
import { itemRef, readWithItem } from '../../items/index.ts'
import { fromRelationsOfItem, relation, relationsArray, type RelationRow } from '../relation.ts'

export const relationsList = defineTool({
  name: 'relations_list',
  class: 'R',
  title: 'List links of an item',
  summary: 'Lists the relations of an item, parent and children included.',
  rank: 260,
  rows: 'relations',
  input: Type.Object({ item_ref: itemRef() }, { additionalProperties: false }),
  output: Type.Object({ relations: Type.Array(relation) }),
  async run(ctx, { item_ref: ref }) {
    const { found } = await readWithItem<{ found: RelationRow[] | null }>(
      ctx,
      ref,
      sql`(select ${relationsArray(ctx)} ${fromRelationsOfItem(ctx)}) as found`,
    )
    return { relations: found ?? [] }
  },
})
