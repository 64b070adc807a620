import { belongsTo, defineTable, ownedKey, p, type TablesOf } from 'tasuki/entities'
import { Item } from '../items/entities.ts'

/** Links between items of one owner. The link to a parent is the item's `parent_id`, not a row here. */
const RelationSchema = defineTable('relations.relations', {
  properties: {
    ...ownedKey,
    source: () => belongsTo(Item, 'source_id'),
    target: () => belongsTo(Item, 'target_id'),
    type: p.enum(['reference', 'duplicate', 'generated_from', 'enriches', 'previous_instance'] as const),
    createdAt: p.datetime(),
  },
  uniques: [{ name: 'relations_unique', properties: ['ownerId', 'source', 'target', 'type'] }],
  indexes: [{ name: 'relations_target', properties: ['ownerId', 'target'] }],
})

export const entities = [RelationSchema]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'relations', typeof entities> {}
}
