import { belongsTo, defineTable, ownedKey, p, type TablesOf } from 'tasuki/entities'
import { itemKey } from '../items/entities.ts'

export const NumberSeries = defineTable('numbering.series', {
  properties: {
    ...ownedKey,
    key: p.text(),
    name: p.text(),
    /** Upper case; display references are PREFIX-n. */
    prefix: p.text(),
    nextNumber: p.integer().default(1),
    /** `no_new` blocks assigning numbers, `no_change` also removing them. */
    freezeLevel: p.enum(['none', 'no_new', 'no_change'] as const).default('none'),
    createdAt: p.datetime(),
  },
  uniques: [
    { name: 'series_key_unique', properties: ['ownerId', 'key'] },
    { name: 'series_prefix_unique', properties: ['ownerId', 'prefix'] },
  ],
})

const NumberSchema = defineTable('numbering.numbers', {
  properties: {
    ...itemKey,
    series: () => belongsTo(NumberSeries, 'series_id').primary(),
    /** Null = linked to the series without a number. */
    number: p.integer().nullable(),
    createdAt: p.datetime(),
  },
  uniques: [{ name: 'numbers_unique', properties: ['ownerId', 'series', 'number'] }],
})

export const entities = [NumberSeries, NumberSchema]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'numbering', typeof entities> {}
}
