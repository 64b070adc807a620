import { readdir, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { readAdministrators } from '../identity/user.repository.ts'
import type { Job, WriteContext } from '../plugin/context.ts'
import { administratorNotices } from '../plugin/host-points.ts'
import { defineJob } from '../plugin/job.ts'
import { backupMade } from '../runtime/audit/actions.ts'
import { archiveName, writeFileAtomically, type Archiver } from './archiver.ts'
import type { Config } from './config/schema.ts'
import { DAY_MS } from '../plugin/durations.ts'

const NAME = /^tasuki-(\d{4}-\d\d-\d\dT\d{6}Z)\.tar\.gz$/
const DRAFT = /^tasuki-.*\.partial$/

/** Creates the job that makes backups and deletes old ones; null if no folder is configured. */
export function backupJob(
  { folder, schedule, keep, keep_days: keepDays }: Config['backups'],
  { archiver, dataDir }: { readonly archiver: Archiver; readonly dataDir: string },
): Job | null {
  if (folder === undefined) return null
  const place = resolve(dataDir, folder)
  let warned = false
  return defineJob({
    name: 'core.backup',
    schedule,
    // The backup reads from its own snapshot and may take long.
    transaction: false,
    async run(ctx) {
      try {
        const file = join(place, archiveName('tasuki', ctx.now))
        const { rows, files, size } = await writeFileAtomically(file, target => archiver.backup(target))
        warned = false
        ctx.audit({ action: backupMade, userId: null, details: { file, rows, files, bytes: size } })
        ctx.log.info({ file, rows, files, bytes: size }, 'backup made')
      } catch (error) {
        // The queue retries the job; administrators are warned only once.
        if (!warned) await warnAdministrators(ctx, error as Error)
        warned = true
        throw error
      }
      // The backup is complete: a retry would only make another one.
      await removeOld(place, { keep, keepDays, now: ctx.now }).catch((error: unknown) =>
        ctx.log.error({ err: error, folder: place }, 'not all old backups could be deleted'),
      )
    },
  })
}

async function warnAdministrators(ctx: WriteContext, error: Error): Promise<void> {
  const administrators = await readAdministrators(ctx)
  const notice = {
    kind: 'backup.failed',
    title: 'The scheduled backup failed',
    body: `${error.message.slice(0, 300)}. The log has more; tasuki backup tries it by hand.`,
  }
  for (const notify of ctx.all(administratorNotices)) await notify(ctx, administrators, notice)
}

/** Deletes backups that exceed the number or the age, except the newest, and partial files that killed processes left more than a day ago. */
export async function removeOld(
  folder: string,
  { keep, keepDays, now }: { readonly keep: number; readonly keepDays: number | undefined; readonly now: Date },
): Promise<void> {
  const names = await readdir(folder)
  const newestFirst = names
    .filter(name => NAME.test(name))
    .toSorted()
    .toReversed()
  const oldest = keepDays === undefined ? '' : archiveName('tasuki', new Date(now.getTime() - keepDays * DAY_MS))
  const expired = newestFirst.filter((name, n) => n > 0 && (n >= keep || name < oldest))
  const yesterday = now.getTime() - DAY_MS
  const removals = names.map(async name => {
    const file = join(folder, name)
    // A younger draft may be of a backup that is being written.
    const isLeftover = DRAFT.test(name) && (await stat(file)).mtimeMs < yesterday
    if (isLeftover || expired.includes(name)) await rm(file, { force: true })
  })
  const failed = (await Promise.allSettled(removals)).find(({ status }) => status === 'rejected')
  if (failed) throw (failed as PromiseRejectedResult).reason
}
