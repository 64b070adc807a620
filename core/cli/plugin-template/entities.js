import { defineEntity, p } from 'tasuki/entities'
import { Item } from 'tasuki/plugins/items/entities'

/** The owner leads every key, so that rows of different owners can never be linked. */
export const Remark = defineEntity({
  name: 'ExampleRemark',
  schema: 'example',
  tableName: 'remarks',
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
    text: p.string().columnType('text'),
    createdAt: p.datetime(),
  },
  indexes: [{ name: 'remarks_item', properties: ['ownerId', 'item', 'id'] }],
})

export const entities = [Remark]
