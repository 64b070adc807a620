import { belongsTo, defineTable, p, type TablesOf } from 'tasuki/entities'
import { Item } from '../items/entities.ts'

/** How big an item is, in the estimate unit of its project; no row = not estimated. */
const EstimateSchema = defineTable('estimation.estimates', {
  properties: {
    ownerId: p.uuid().primary(),
    item: () => belongsTo(Item, 'item_id').primary(),
    value: p.decimal().columnType('numeric'),
    updatedAt: p.datetime(),
  },
  checks: [{ name: 'estimates_value_check', expression: 'value >= 0' }],
})

export const entities = [EstimateSchema]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'estimation', typeof entities> {}
}
