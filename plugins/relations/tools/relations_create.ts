import { defineTool, Type } from 'tasuki/plugin'
import { itemRef, requireItem } from '../../items/index.ts'
import { linkItems, relationsOf } from '../link.ts'
import { relation, relationType, toRelationJson } from '../relation.ts'

export const relationsCreate = defineTool({
  name: 'relations_create',
  class: 'W',
  title: 'Link items',
  summary: 'Links two items; parent and child set the parent.',
  rank: 250,
  input: {
    source_item_ref: itemRef('Source, KEY#n.'),
    target_item_ref: itemRef('Target, KEY#n.'),
    relation_type: relationType,
  },
  output: { relation, created: Type.Boolean(), changed: Type.Array(Type.String()) },
  async run(ctx, { source_item_ref: from, target_item_ref: to, relation_type: type }) {
    const source = await requireItem(ctx, from, { write: true, lock: true, field: 'source_item_ref' })
    const target = await requireItem(ctx, to, { write: true, lock: true, field: 'target_item_ref' })
    const link = { source, target }
    const [linked] = await linkItems(ctx, [link], type)
    if ('error' in linked!) throw linked.error
    const [row] = await relationsOf(ctx, [link], type)
    return { relation: toRelationJson(row!), created: linked!.created, changed: linked!.created ? ['relations'] : [] }
  },
})
