import { defineJob, Type } from 'tasuki/plugin'
import { indexFormerTexts } from './indexing.repository.ts'

/** Texts of each table that one run takes. */
const BATCH = 500

/** Indexes again what an earlier analyzer indexed. Each run takes one batch and enqueues the next. */
export const indexFormer = defineJob({
  name: 'conversations.index',
  schedule: '*/10 * * * *',
  payload: Type.Object({}),
  async run(ctx) {
    if (await indexFormerTexts(ctx, BATCH)) await ctx.enqueue(indexFormer, {}, { key: indexFormer.name })
  },
})
