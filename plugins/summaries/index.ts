import { definePlugin } from 'tasuki/plugin'
import { summariesConfig } from './config.ts'
import { catchUpJob, generateJob } from './generate.ts'
import { migrations } from './migrations/index.ts'
import { onItems } from './on-items.ts'
import { modelSettings } from './on-workspace.ts'
import { points, summaryProviders } from './points.ts'
import { providerOf } from './provider/choose.ts'
import { extractive } from './provider/extractive.ts'
import { openai } from './provider/openai.ts'
import { summaryServer } from './provider/summary-server.ts'
import { itemsSummarize } from './tools/items_summarize.ts'

export type {} from './entities.ts'
export { summaryProviders } from './points.ts'
export type { SummaryDiscussion, SummaryProvider, SummaryRequest, SummarySource } from './points.ts'

export const plugin = definePlugin({
  name: 'summaries',
  group: 'work_items',
  dependsOn: ['projects', 'items', 'discussions'],
  optionalDependsOn: ['workspace'],
  config: summariesConfig,
  entities: () => import('./entities.ts'),
  migrations,
  points,
  jobs: [generateJob, catchUpJob],
  tools: [itemsSummarize],
  contributes: [...onItems, summaryProviders(extractive), summaryProviders(openai), summaryServer, modelSettings],
  // An invalid setting aborts the boot instead of the first summary.
  check: boot => void providerOf(boot),
  async onEnabled(ctx) {
    await ctx.enqueue(catchUpJob, {}, { key: catchUpJob.name })
  },
})
