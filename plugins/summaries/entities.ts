import { defineEntity, p, type TablesOf } from 'tasuki/entities'
import { Item } from '../items/entities.ts'

/** The summary of an item's discussions. */
const SummarySchema = defineEntity({
  name: 'Summary',
  schema: 'summaries',
  tableName: 'summaries',
  properties: {
    item: () =>
      p
        .oneToOne(Item)
        .primary()
        .joinColumns('owner_id', 'item_id')
        .owner()
        .deleteRule('cascade')
        .updateRule('no action'),
    summary: p.text(),
    /** Who made it. */
    provider: p.text(),
    model: p.text().nullable(),
    /** The provider that should have made it and did not answer. */
    insteadOf: p.text().nullable(),
    /** How many discussions there were, and when the last of them changed: others mean that the summary is old. */
    discussions: p.integer(),
    discussedAt: p.datetime(),
    /** When the discussions were read. */
    generatedAt: p.datetime(),
  },
})

export const entities = [SummarySchema]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'summaries', typeof entities> {}
}
