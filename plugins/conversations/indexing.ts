import { defineJob } from 'tasuki/plugin'
import { reindexOutdatedTexts } from './indexing.repository.ts'

/** Texts per table and run. */
const BATCH = 500

/** Reindexes texts of an earlier analyzer. Each run handles one batch and enqueues the next. */
export const reindexTexts = defineJob({
  name: 'conversations.index',
  schedule: '*/10 * * * *',
  async run(ctx) {
    if (await reindexOutdatedTexts(ctx, BATCH)) await ctx.enqueue(reindexTexts, {}, { key: reindexTexts.name })
  },
})
