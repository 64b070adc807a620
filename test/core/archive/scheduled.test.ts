import assert from 'node:assert/strict'
import {
  createReadStream,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { WriteContext } from 'tasuki/plugin'
import { testHost } from 'tasuki/testing'
import { writeFileAtomically } from '../../../core/host/archiver.ts'
import { readArchive } from '../../../core/archive/read.ts'
import { backupJob, removeOld } from '../../../core/host/scheduled-backups.ts'
import { systemScope } from '../../../core/runtime/system-scope.ts'
import { forEachEngine } from '../../engines.ts'

forEachEngine('scheduled backups', engine => {
  test('are written to the folder, old backups are deleted, and a failure is counted, reported to administrators and retried', async t => {
    const dataDir = mkdtempSync(join(tmpdir(), 'tasuki-scheduled-'))
    t.after(() => rmSync(dataDir, { recursive: true, force: true }))
    let at = Date.parse('2026-06-01T01:30:00Z')
    const config = { backups: { folder: 'backups', schedule: '30 1 * * *', keep: 2 } }
    const host = await testHost(t, { engine, dataDir, config, now: () => new Date(at) })
    /** Runs the job without a transaction, like the queue. */
    const asQueue = (work: (ctx: WriteContext) => Promise<void>): Promise<void> =>
      host.runner.writeWithoutTransaction(systemScope(host.authenticator, 'core.backup', host.app.log), work)
    const run = async (folder: string): Promise<void> => {
      const job = backupJob({ ...config.backups, folder }, { archiver: host.archiver, dataDir })!
      await asQueue(ctx => job.run(ctx, {}))
    }
    const made = (): string[] => readdirSync(join(dataDir, 'backups')).toSorted()
    for (let day = 0; day < 3; day++, at += 86_400_000) await run('backups')
    assert.deepEqual(made(), ['tasuki-2026-06-02T013000Z.tar.gz', 'tasuki-2026-06-03T013000Z.tar.gz'])
    const { entries } = await readArchive(createReadStream(join(dataDir, 'backups', made()[1]!)), {
      manifest: ({ kind }) => assert.equal(kind, 'backup'),
      entry: async () => undefined,
    })
    assert.ok(entries.some(({ name }) => name.startsWith('tables/core.users/')))

    // A folder of that name cannot be deleted like a file; the others go nevertheless.
    mkdirSync(join(dataDir, 'backups', 'tasuki-2026-06-01T013000Z.tar.gz'))
    await run('backups')
    assert.deepEqual(
      made(),
      ['01', '03', '04'].map(day => `tasuki-2026-06-${day}T013000Z.tar.gz`),
    )

    writeFileSync(join(dataDir, 'a file'), '')
    const job = backupJob({ ...config.backups, folder: 'a file/x' }, { archiver: host.archiver, dataDir })!
    let refused: unknown
    await asQueue(ctx => job.run(ctx, {}).catch((error: unknown) => void (refused = error)))
    assert.match(String(refused), /ENOTDIR|cannot be written/)
    await asQueue(ctx => job.run(ctx, {}).catch(() => undefined))
    const { notifications } = await host.call('notifications_list', {})
    assert.deepEqual(
      notifications.map(({ title }: { title: string }) => title),
      ['The scheduled backup failed'],
    )
  })
})

test('a file that cannot be written fails with the reason, and leaves nothing open', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'tasuki-unwritable-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const fail = async (): Promise<never> => {
    await sleep(20)
    throw new Error('the database is away')
  }
  // Its draft has a longer name than file systems allow.
  await assert.rejects(writeFileAtomically(join(folder, `${'x'.repeat(250)}.gz`), fail), /ENAMETOOLONG/)
  await assert.rejects(writeFileAtomically(join(folder, 'a.gz'), fail), /the database is away/)
  assert.deepEqual(readdirSync(folder), [])
  if (process.platform !== 'linux') return
  const open = readdirSync('/proc/self/fd').filter(fd => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`, { encoding: 'utf8' }).startsWith(folder)
    } catch {
      // The descriptor with which the folder was listed.
      return false
    }
  })
  assert.deepEqual(open, [])
})

test('of backups the newest stays, however old; drafts of a day ago and nothing else go as well', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'tasuki-old-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const names = ['2026-01-01', '2026-02-01', '2026-03-01'].map(day => `tasuki-${day}T013000Z.tar.gz`)
  const drafts = ['0a1b2c3d', '4e5f6071'].map(id => `${names[0]}.${id}.partial`)
  for (const name of [...names, 'mine.tar.gz', ...drafts]) writeFileSync(join(folder, name), '')
  utimesSync(join(folder, drafts[0]!), 0, new Date('2026-02-28'))
  utimesSync(join(folder, drafts[1]!), 0, new Date('2026-03-01T12:00:00Z'))
  await removeOld(folder, { keep: 2, keepDays: undefined, now: new Date('2026-03-02') })
  assert.deepEqual(readdirSync(folder).toSorted(), ['mine.tar.gz', drafts[1], ...names.slice(1)])
  await removeOld(folder, { keep: 9, keepDays: 30, now: new Date('2027-01-01') })
  assert.deepEqual(readdirSync(folder).toSorted(), ['mine.tar.gz', names[2]])
})
