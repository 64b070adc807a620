import { defineTable, p, type TablesOf } from 'tasuki/entities'
import { itemKey } from '../items/entities.ts'

/** The estimate of an item in the unit of its project; no row = not estimated. */
const EstimateSchema = defineTable('estimation.estimates', {
  properties: { ...itemKey, value: p.decimal().columnType('numeric'), updatedAt: p.datetime() },
  checks: [{ name: 'estimates_value_check', expression: 'value >= 0' }],
})

export const entities = [EstimateSchema]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'estimation', typeof entities> {}
}
