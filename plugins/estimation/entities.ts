import { defineEntity, p, type TablesOf } from 'tasuki/entities'
import { Item } from '../items/entities.ts'

/** How big an item is, in the estimate unit of its project; no row = not estimated. */
const EstimateSchema = defineEntity({
  name: 'ItemEstimate',
  schema: 'estimation',
  tableName: 'estimates',
  properties: {
    item: () =>
      p
        .oneToOne(Item)
        .primary()
        .joinColumns('owner_id', 'item_id')
        .owner()
        .deleteRule('cascade')
        .updateRule('no action'),
    value: p.decimal().columnType('numeric'),
    updatedAt: p.datetime(),
  },
  checks: [{ name: 'estimates_value_check', expression: 'value >= 0' }],
})

export const entities = [EstimateSchema]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'estimation', typeof entities> {}
}
