import { defineJob, sql, Type } from 'tasuki/plugin'
import { conversationsConfig } from './config.ts'
import { IDLE_MINUTES } from './thread.ts'

/** Closes threads in which nothing was said for a while, and forgets that somebody was in them. */
export const closeIdle = defineJob({
  name: 'conversations.close',
  schedule: '*/5 * * * *',
  payload: Type.Object({}),
  async run(ctx) {
    const idle = sql`${ctx.now}::timestamptz - interval '1 minute' * ${sql.lit(IDLE_MINUTES)}`
    await sql`update conversations.threads set closed_at = last_at where closed_at is null and last_at < ${idle}`.execute(
      ctx.db,
    )
    await sql`delete from conversations.current where last_at < ${idle}`.execute(ctx.db)
  },
})

/** Deletes messages that are too old, threads that have none left, and plans whose note is gone. */
export const forgetOld = defineJob({
  name: 'conversations.forget',
  schedule: '29 17 * * *',
  payload: Type.Object({}),
  async run(ctx) {
    const { keep_days: days } = ctx.config(conversationsConfig)
    const old = sql`${ctx.now}::timestamptz - interval '1 day' * ${days}::int`
    await sql`
      with gone as (delete from conversations.messages where created_at < ${old} returning owner_id, thread_id)
      update conversations.threads t set messages = greatest(t.messages - g.messages, 0)
      from (select owner_id, thread_id, count(*)::int as messages from gone group by owner_id, thread_id) g
      where t.owner_id = g.owner_id and t.id = g.thread_id
    `.execute(ctx.db)
    await sql`
      delete from conversations.threads t where t.last_at < ${old} and t.messages = 0
        and not exists (select from conversations.messages m where m.owner_id = t.owner_id and m.thread_id = t.id)
    `.execute(ctx.db)
    await sql`
      delete from conversations.plans pl
      where not exists (select from items.items i where i.owner_id = pl.item_owner_id and i.id = pl.item_id)
    `.execute(ctx.db)
  },
})
