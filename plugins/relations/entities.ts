import { defineEntity, p } from 'tasuki/entities'
import { Item } from '../items/entities.ts'

/** Links between items of one owner; the link to a parent is the item's own `parent_id` and not stored here. */
const RelationSchema = defineEntity({
  name: 'Relation',
  schema: 'relations',
  tableName: 'relations',
  properties: {
    ownerId: p.uuid().primary(),
    id: p.uuid().primary(),
    source: () =>
      p
        .manyToOne(Item)
        .joinColumns('owner_id', 'source_id')
        .ownColumns('source_id')
        .deleteRule('cascade')
        .updateRule('no action'),
    target: () =>
      p
        .manyToOne(Item)
        .joinColumns('owner_id', 'target_id')
        .ownColumns('target_id')
        .deleteRule('cascade')
        .updateRule('no action'),
    type: p.enum(['reference', 'duplicate', 'generated_from', 'enriches', 'previous_instance'] as const),
    createdAt: p.datetime(),
  },
  uniques: [{ name: 'relations_unique', properties: ['ownerId', 'source', 'target', 'type'] }],
  indexes: [{ name: 'relations_target', properties: ['ownerId', 'target'] }],
})

export const entities = [RelationSchema]
