import { DAY_MS, defineJob } from 'tasuki/plugin'
import { conversationsConfig } from './config.ts'
import { deleteOldMessages } from './message.repository.ts'
import { closeThreads, deleteEmptyThreads, deleteOrphanPlans } from './thread.repository.ts'

/** Closes threads that have been idle for a while. */
export const closeIdleThreads = defineJob({ name: 'conversations.close', schedule: '*/5 * * * *', run: closeThreads })

/** Deletes expired messages, threads without messages, and plans of deleted notes. */
export const deleteOldConversations = defineJob({
  name: 'conversations.forget',
  schedule: '29 17 * * *',
  async run(ctx) {
    const before = new Date(ctx.now.getTime() - ctx.config(conversationsConfig).keep_days * DAY_MS)
    await deleteOldMessages(ctx, before)
    await deleteEmptyThreads(ctx, before)
    await deleteOrphanPlans(ctx)
  },
})
