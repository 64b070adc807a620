import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { uploadFile } from './files.ts'
import { memoryBound, type MemoryBound } from './memory-bound.ts'
import { callerOf, memoryEnvironment, read, write } from './memory.ts'
import {
  filePagesOf,
  peakMegabytes,
  resetPeak,
  runTasuki,
  startService,
  type Env,
  type Run,
  type Server,
} from './processes.ts'
import type { Figure } from './report.ts'
import { seededRandom } from '../random.ts'
import { sentence } from './texts.ts'
import unlimited from './unlimited.json' with { type: 'json' }

/** Memory that README.md requires for the service. */
const MEGABYTES = 512
const IMPORTED = 9500
const CREATED = 500
const FILES = 50
const MAX_FILE_MB = 10

/**
 * Measures the work of an operator on the embedded database in a control group with 512 MB and no swap: a first start, 10,000 items with
 * files, a backup, a copy, an import, a restart and a restore. The service and the commands are in the same group.
 */
export async function measureBound(folder: string): Promise<Figure[]> {
  const bound = memoryBound(MEGABYTES)
  console.log(
    bound ? `Bound by a ${bound.kind} of ${MEGABYTES} MB.` : 'Not bound: this user may make no control group.',
  )
  const place = join(folder, 'bound')
  const env = memoryEnvironment(place)
  const figures: Figure[] = []
  /**
   * Measures the peak of all processes together: their own memory, and the pages of files, such as those of Node, which they share. Without a
   * control group it adds the peaks of the service and of a command, which is more than they ever had at the same moment.
   */
  const step = async (name: string, work: () => Promise<Run | void>): Promise<void> => {
    const began = performance.now()
    if (service) resetPeak(service.pid)
    let anonymous = 0
    const timer = setInterval(() => (anonymous = Math.max(anonymous, bound?.anonymous() ?? 0)), 20)
    const run = await work().finally(() => clearInterval(timer))
    const filePages = service ? filePagesOf(service.pid) : run!.peak - run!.ownPeak
    const peaks = service ? peakMegabytes(service.pid) + (run?.ownPeak ?? 0) : run!.peak
    const peak = bound ? anonymous + filePages : peaks
    console.log(`${name}: ${Math.round(peak)} MB, ${((performance.now() - began) / 1000).toFixed(1)} s`)
    figures.push(figureOf(`peak memory: ${name}`, 'MB', peak, MEGABYTES))
  }
  let service: Server | null = null
  const start = async (more: Env = {}): Promise<Server> => {
    await stop()
    service = await startService({ ...env, ...more }, undefined, bound)
    return service
  }
  const stop = async (): Promise<void> => {
    await service?.stop()
    service = null
  }
  const archive = join(folder, 'bound.tar.gz')
  const csv = join(folder, 'bound.csv')
  writeFileSync(csv, csvOf(IMPORTED))
  try {
    const first = await start()
    figures.push(figureOf('peak memory: first start', 'MB', peakMegabytes(first.pid), MEGABYTES))
    const caller = callerOf(first)
    let refs: string[] = []
    await step(`import of ${IMPORTED} items, with the command`, () =>
      runTasuki(env, ['import', 'file', csv, 'INBOX', '--yes'], bound),
    )
    await step(`${CREATED} items more, 200 changes, 300 searches and reads`, async () => {
      refs = await write(caller, { created: CREATED, changed: 200 })
      await read(caller, { created: 0, changed: 0, read: 300 }, refs)
    })
    await step(`${FILES} files of 1 to ${MAX_FILE_MB} MB`, async () => {
      for (let n = 0; n < FILES; n++)
        await uploadFile({ origin: first.origin, caller }, refs[n]!, (1 + (n % MAX_FILE_MB)) * 1e6)
    })
    await step('backup, with the command', () => runTasuki(env, ['backup', archive], bound))
    await step('copy to a folder, with the command', () =>
      runTasuki(env, ['copy', '--to', join(folder, 'bound-copied')], bound),
    )
    const backups = join(folder, 'bound-backups')
    const config = join(folder, 'bound.json')
    writeFileSync(
      config,
      JSON.stringify({ limits: unlimited.limits, backups: { folder: backups, schedule: '* * * * *' } }),
    )
    const second = await start({ CONFIG: config })
    await step('restart, 300 searches and reads, scheduled backup', async () => {
      await read(callerOf(second), { created: 0, changed: 0, read: 300 }, refs)
      await backupIn(backups)
    })
    await stop()
    await step('restore', () =>
      runTasuki({ ...env, DATA_DIR: join(folder, 'bound-restored') }, ['restore', archive], bound),
    )
    return [...figures, ...boundFigures(bound)]
  } finally {
    await stop()
    bound?.remove()
  }
}

/** Waits until a scheduled backup is complete. */
async function backupIn(folder: string): Promise<void> {
  for (const deadline = Date.now() + 150_000; Date.now() < deadline; await sleep(200)) {
    try {
      if (readdirSync(folder).some(name => name.endsWith('.tar.gz'))) return
    } catch {
      // The folder is made by the first backup.
    }
  }
  throw new Error('no scheduled backup was made')
}

function csvOf(items: number): string {
  const random = seededRandom(17)
  const rows = Array.from({ length: items }, () => `"${sentence(random, 6)}","${sentence(random, 40)}"`)
  return ['title,description', ...rows, ''].join('\n')
}

function boundFigures(bound: MemoryBound | null): Figure[] {
  if (!bound) return []
  return [
    figureOf('killed for memory', '', bound.kills(), 0),
    figureOf('peak of the group, pages of files included', 'MB', bound.peak(), null),
  ]
}

function figureOf(name: string, unit: string, ours: number, atMost: number | null): Figure {
  return { name, unit, ours, theirs: null, ratio: null, target: atMost === null ? null : { atMost } }
}
