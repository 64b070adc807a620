import { Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import { sweepArtifacts } from '../identity/oauth/connections.ts'
import type { Database } from '../db/database.ts'
import type { Job } from '../plugin/context.ts'
import { defineJob } from '../plugin/job.ts'

const NoPayload = Type.Object({})

/** The host's own jobs: deleting expired rows, and maintenance of the embedded database. */
export function maintenanceJobs(database: Database): Job[] {
  const sweep = defineJob({
    name: 'core.sweep',
    schedule: '7 * * * *',
    payload: NoPayload,
    async run(ctx) {
      await sql`delete from core.idempotency_keys where created_at < ${ctx.now}::timestamptz - interval '24 hours'`.execute(
        ctx.db,
      )
      await sql`delete from core.confirmations where expires_at < ${ctx.now}`.execute(ctx.db)
      // Kept for a while after they expired: the page tells what became of them.
      await sql`delete from core.page_confirmations where expires_at < ${ctx.now}::timestamptz - interval '1 hour'`.execute(
        ctx.db,
      )
      await sweepArtifacts(ctx)
    },
  })
  const { embedded } = database
  if (!embedded) return [sweep]
  // The embedded engine by itself neither checkpoints on a timer nor vacuums: its log would grow without bound.
  const checkpoint = defineJob({
    name: 'core.checkpoint',
    schedule: '*/5 * * * *',
    payload: NoPayload,
    transaction: false,
    run: () => embedded.maintain(),
  })
  const vacuum = defineJob({
    name: 'core.vacuum',
    schedule: '23 18 * * *',
    payload: NoPayload,
    transaction: false,
    run: () => embedded.vacuum(),
  })
  return [sweep, checkpoint, vacuum] as Job[]
}
