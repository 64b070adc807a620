import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { httpCaller } from '../http-caller.ts'
import { startPostgres } from '../postgres.ts'
import { deploy, newDatabase } from './deployment.ts'
import { uploadFile } from './files.ts'
import { peakMegabytes, runTasuki, startService, type Env, type Run, type Server } from './processes.ts'
import type { Figure } from './report.ts'

const FILE_BYTES = 8192
/** Additional files, to prove that memory does not grow with the size of the backup. */
const LARGE = { files: 8, bytes: 25_000_000 }
const MAX_GROWTH_MB = 64
const MAX_SECONDS = { pglite: 60, postgres: 20 }

/** Measures the seconds that backup, restore and copy of 10,000 items with one file each take, and how long calls wait during them. */
export async function measureArchive(folder: string): Promise<Figure[]> {
  const postgres = await startPostgres({ durable: true })
  try {
    const { url, ownerId, token } = await deploy(postgres.url)
    const server: Env = { DATA_DIR: join(folder, 'server'), DATABASE_URL: url }
    await addFiles(url, ownerId, server['DATA_DIR']!)
    const embedded: Env = { DATA_DIR: join(folder, 'embedded') }
    const empty = async (): Promise<string> => newDatabase(postgres.url, 'template0')
    const figures: Figure[] = []
    const measure = async (engine: 'postgres' | 'pglite', env: Env, other: string): Promise<void> => {
      const archive = join(folder, `${engine}.tar.gz`)
      const target: Env =
        engine === 'postgres'
          ? { DATA_DIR: join(folder, 'restored-server'), DATABASE_URL: await empty() }
          : { DATA_DIR: join(folder, 'restored-embedded') }
      const service = await startService({ ...env, LOG_LEVEL: 'warn' })
      try {
        const quiet = await longestCallDuring(service, token, () => sleep(3000))
        const before = peakMegabytes(service.pid)
        const backup = await measureDuring(service, token, () => runTasuki(env, ['backup', archive]))
        const peak = engine === 'postgres' ? backup.peak : peakMegabytes(service.pid)
        const copy = await measureDuring(service, token, () => runTasuki(env, ['copy', '--to', other]))
        const restore = await runTasuki(target, ['restore', archive])
        const added = await addLargeFiles(engine, service, token)
        const large = await runTasuki(env, ['backup', `${archive}.large`])
        const growth = (engine === 'postgres' ? large.peak : peakMegabytes(service.pid)) - Math.max(peak, added)
        const seconds = { atMost: MAX_SECONDS[engine] }
        figures.push(
          figure(`backup, ${engine}`, 's', backup.seconds, seconds),
          figure(`restore, ${engine}`, 's', restore.seconds, seconds),
          figure(`copy to the other engine, ${engine}`, 's', copy.seconds, seconds),
          figure(`longest call while nothing else runs, ${engine}`, 'ms', quiet, null),
          figure(`longest call during a backup, ${engine}`, 'ms', backup.wait, null),
          figure(`longest call during a copy, ${engine}`, 'ms', copy.wait, null),
          figure(`peak memory of the service before, ${engine}`, 'MB', before, null),
          figure(`peak memory of what backs up, ${engine}`, 'MB', peak, null),
          figure(`growth of that peak with 200 MB of files more, ${engine}`, 'MB', growth, { atMost: MAX_GROWTH_MB }),
          figure(`peak memory of a restore, ${engine}`, 'MB', restore.peak, null),
        )
      } finally {
        await service.stop()
      }
    }
    await measure('postgres', server, embedded['DATA_DIR']!)
    await measure('pglite', embedded, await empty())
    return figures
  } finally {
    await postgres.stop()
  }
}

/** Uploads files through the service. @returns the peak memory of the service afterwards, if the service itself writes the backup */
async function addLargeFiles(engine: 'postgres' | 'pglite', { origin, pid }: Server, token: string): Promise<number> {
  const caller = httpCaller(origin, token)
  const { items } = await caller.call('tasks_list', { project_key: 'APP', limit: LARGE.files })
  for (const { ref } of items as { ref: string }[]) await uploadFile({ origin, caller }, ref, LARGE.bytes)
  return engine === 'pglite' ? peakMegabytes(pid) : 0
}

function figure(name: string, unit: string, ours: number, target: Figure['target']): Figure {
  return { name, unit, ours, theirs: null, ratio: null, target }
}

async function measureDuring(
  service: Server,
  token: string,
  work: () => Promise<Run>,
): Promise<Run & { readonly wait: number }> {
  let run: Run | undefined
  const wait = await longestCallDuring(service, token, async () => void (run = await work()))
  return { ...run!, wait }
}

/** Measures the longest call of one caller while work runs. @returns milliseconds */
async function longestCallDuring({ origin }: Server, token: string, work: () => Promise<unknown>): Promise<number> {
  const caller = httpCaller(origin, token)
  const over = new AbortController()
  let longest = 0
  const calls = (async () => {
    while (!over.signal.aborted) {
      const began = performance.now()
      await caller.call('tasks_list', { project_key: 'APP', limit: 5 })
      longest = Math.max(longest, performance.now() - began)
      await sleep(5)
    }
  })()
  await work()
  over.abort()
  await calls
  return longest
}

/** Gives every item a file on the disk of this machine. */
async function addFiles(url: string, ownerId: string, dataDir: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ id: string }>(
    `insert into attachments.attachments (owner_id, id, project_id, item_id, parent_kind, parent_id, filename, mime_type, size, state, created_by, uploader, created_at)
     select owner_id, gen_random_uuid(), project_id, id, 'item', id, 'notes.txt', 'text/plain', $2, 'stored', owner_id, '{"kind":"human"}', now()
     from items.items where owner_id = $1 returning id`,
    [ownerId, FILE_BYTES],
  )
  // The plugin that filled the database has no tables.
  await client.query(`delete from core.plugins where name = 'bench'`)
  await client.query('analyze')
  await client.end()
  const folder = join(dataDir, 'attachments', 'files', ownerId)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const [n, { id }] of rows.entries())
    writeFileSync(join(folder, id), `${n} `.repeat(FILE_BYTES).slice(0, FILE_BYTES))
}
