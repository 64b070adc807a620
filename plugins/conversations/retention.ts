import { defineJob, Type } from 'tasuki/plugin'
import { conversationsConfig } from './config.ts'
import { deleteOldMessages } from './message.repository.ts'
import { closeThreads, deleteEmptyThreads, deleteOrphanPlans } from './thread.repository.ts'

/** Closes threads without a message for a while. */
export const closeIdle = defineJob({
  name: 'conversations.close',
  schedule: '*/5 * * * *',
  payload: Type.Object({}),
  run: closeThreads,
})

const DAY_MS = 86_400_000

/** Deletes messages that are too old, threads that have none left, and plans whose note is gone. */
export const forgetOld = defineJob({
  name: 'conversations.forget',
  schedule: '29 17 * * *',
  payload: Type.Object({}),
  async run(ctx) {
    const before = new Date(ctx.now.getTime() - ctx.config(conversationsConfig).keep_days * DAY_MS)
    await deleteOldMessages(ctx, before)
    await deleteEmptyThreads(ctx, before)
    await deleteOrphanPlans(ctx)
  },
})
