import { defineJob } from 'tasuki/plugin'
import { deleteOldAttempts } from './auth/attempt.repository.ts'
import { deleteEndedSessions } from './auth/session.repository.ts'
import { deleteOldSetupLinks } from './auth/setup-link.repository.ts'
import { settings } from './settings.ts'

/** Deletes expired records. */
export const sweep = defineJob({
  name: 'portal.sweep',
  schedule: '17 * * * *',
  async run(ctx) {
    await deleteEndedSessions(ctx, ctx.config(settings).idle_hours)
    await deleteOldSetupLinks(ctx)
    await deleteOldAttempts(ctx)
  },
})
