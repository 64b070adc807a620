import { defineCommand, Type } from 'tasuki/plugin'
import { rebuildAll } from './jobs.ts'

export const searchRebuild = defineCommand({
  name: 'search rebuild',
  summary: 'Index all items for search again, for example after pgvector was installed.',
  args: Type.Object({}),
  async run(ctx) {
    return { text: `Items are being indexed; vectors: ${await rebuildAll(ctx)}.` }
  },
})
