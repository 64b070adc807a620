import { deleteOldAudit } from '../identity/audit.repository.ts'
import { deleteStaleArtifacts } from '../identity/oauth/connections.ts'
import type { Database } from '../db/database.ts'
import { deleteOldConfirmations } from '../mcp/confirmation.repository.ts'
import { deleteExpiredKeys } from '../mcp/idempotency.ts'
import type { Config } from './config/schema.ts'
import type { Job } from '../plugin/context.ts'
import { defineJob } from '../plugin/job.ts'
import { HOUR_MS } from '../plugin/durations.ts'

/** Creates the host's jobs: deleting expired rows, and maintenance of the embedded database. */
export function maintenanceJobs(database: Database, { audit }: Pick<Config, 'audit'>, backup: Job | null): Job[] {
  const sweep = defineJob({
    name: 'core.sweep',
    schedule: '7 * * * *',
    async run(ctx) {
      await deleteExpiredKeys(ctx)
      // Kept for an hour, so that the page can still show the outcome.
      await deleteOldConfirmations(ctx, new Date(ctx.now.getTime() - HOUR_MS))
      await deleteStaleArtifacts(ctx)
    },
  })
  const retention = defineJob({
    name: 'core.audit_retention',
    schedule: '41 2 * * *',
    run: ctx => deleteOldAudit(ctx, audit.keep_days),
  })
  const { embedded } = database
  const jobs = [sweep, retention, ...(backup ? [backup] : [])] as Job[]
  if (!embedded) return jobs
  // The embedded engine has no checkpointer and no autovacuum, so its WAL would grow without limit.
  const checkpoint = defineJob({
    name: 'core.checkpoint',
    schedule: '*/5 * * * *',
    transaction: false,
    run: () => embedded.maintain(),
  })
  const vacuum = defineJob({
    name: 'core.vacuum',
    schedule: '23 18 * * *',
    transaction: false,
    run: () => embedded.vacuum(),
  })
  return [...jobs, checkpoint, vacuum] as Job[]
}
