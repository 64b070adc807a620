import { defineTable, p, type TablesOf } from 'tasuki/entities'
import { itemKey } from '../items/entities.ts'

/** The summary of an item's discussions. */
const SummarySchema = defineTable('summaries.summaries', {
  properties: {
    ...itemKey,
    /** The number of discussions and the time of the last change; if they differ, the summary is out of date. */
    discussions: p.integer(),
    discussedAt: p.datetime(),
    summary: p.text(),
    /** The provider that wrote the summary. */
    provider: p.text(),
    model: p.text().nullable(),
    /** The configured provider, if it failed and another one wrote the summary. */
    insteadOf: p.text().nullable(),
    /** When the discussions were read. */
    generatedAt: p.datetime(),
  },
})

export const entities = [SummarySchema]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'summaries', typeof entities> {}
}
