import { defineTable, p, type TablesOf } from 'tasuki/entities'
import { itemKey } from '../items/entities.ts'

/** The summary of an item's discussions. */
const SummarySchema = defineTable('summaries.summaries', {
  properties: {
    ...itemKey,
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
