import { defineEntity, p } from 'tasuki/entities'
import { Item } from '../items/entities.ts'

const StepSchema = defineEntity({
  name: 'ChecklistStep',
  schema: 'checklist',
  tableName: 'steps',
  properties: {
    ownerId: p.uuid().primary(),
    id: p.uuid().primary(),
    item: () =>
      p
        .manyToOne(Item)
        .joinColumns('owner_id', 'item_id')
        .ownColumns('item_id')
        .deleteRule('cascade')
        .updateRule('no action'),
    content: p.string().columnType('text'),
    done: p.boolean().default(false),
    position: p.integer(),
    createdAt: p.datetime(),
    doneAt: p.datetime().nullable(),
  },
  indexes: [{ name: 'steps_item', properties: ['ownerId', 'item', 'position'] }],
})

export const entities = [StepSchema]
