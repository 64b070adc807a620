import { defineJob, sql, Type } from 'tasuki/plugin'
import { settings } from './settings.ts'

/** Forgets what has ended. */
export const sweep = defineJob({
  name: 'portal.sweep',
  schedule: '17 * * * *',
  payload: Type.Object({}),
  async run(ctx) {
    const { idle_hours: idle } = ctx.config(settings)
    await sql`
      delete from portal.sessions where expires_at <= ${ctx.now} or seen_at <= ${ctx.now}::timestamptz - ${idle} * interval '1 hour'
    `.execute(ctx.db)
    await sql`delete from portal.setup_links where expires_at <= ${ctx.now}`.execute(ctx.db)
    await sql`delete from portal.attempts where expires_at <= ${ctx.now}`.execute(ctx.db)
  },
})
