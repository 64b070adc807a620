import { Readable } from 'node:stream'
import type { Database } from '../db/database.ts'
import { makeTables, newerDatabase } from '../db/migrate.ts'
import { migrationsOf } from '../db/migrations-of.ts'
import { HostError } from '../plugin/errors.ts'
import type { ArchivedFiles, PluginSpec } from '../plugin/plugin.ts'
import { fileOfEntry, HELD_BYTES, JOBS, tableOfPart, type Manifest } from './format.ts'
import { readArchive, textOf, type ArchiveEntry } from './read.ts'
import { findTables, insertRows, liftRules, restoreRules, type Table, type WaitingJob } from './tables.repository.ts'

export interface LoadOptions {
  readonly database: Database
  /** All that are installed, in dependency order. */
  readonly plugins: readonly PluginSpec[]
  /** Where files go, by plugin; those of others are passed over. */
  readonly files: ReadonlyMap<string, ArchivedFiles>
}

/** What was loaded. */
export interface Loaded {
  readonly manifest: Manifest
  readonly rows: number
  readonly files: number
  /** To be queued once the queue of the service is there. */
  readonly jobs: readonly WaitingJob[]
  /** Tables that this server cannot have; what is in them is made again. */
  readonly left: readonly string[]
}

/** Refuses an archive that this program cannot load. @throws HostError saying what to do */
function checkManifest({ kind, migrations, plugins }: Manifest, installed: readonly PluginSpec[]): void {
  if (kind !== 'backup') throw new HostError('the archive is an export of one user, not a backup; nothing was changed')
  const names = new Set(installed.map(({ name }) => name))
  const lacking = plugins.filter(({ name }) => !names.has(name)).map(({ name }) => name)
  if (lacking.length > 0)
    throw new HostError(
      `the archive has data of ${lacking.join(', ')}, which the config does not name; nothing was changed: ` +
        'install the same plugins and name them under "plugins", with false where they shall be off',
    )
  const known = new Set(migrationsOf(installed).map(({ name }) => name))
  const newer = migrations.filter(name => !known.has(name))
  if (newer.length > 0) throw new HostError(newerDatabase(newer.map(migration => ({ migration, needs: null }))))
}

/** Reads a whole archive and writes nothing. @throws HostError where it is damaged, or this program cannot load it */
export async function verifyArchive(source: Readable, plugins: readonly PluginSpec[]): Promise<Manifest> {
  let found: Manifest | undefined
  const manifest = (read: Manifest): void => {
    checkManifest(read, plugins)
    found = read
  }
  await readArchive(source, { manifest, entry: async () => undefined })
  return found!
}

/**
 * Loads an archive into an empty database, at the migrations that it was made at: all of it or nothing, but for files.
 * @param compressed false for one that comes straight from who writes it
 * @throws HostError
 */
export async function loadArchive(
  { database, plugins, files }: LoadOptions,
  source: Readable,
  compressed: boolean,
): Promise<Loaded> {
  const manifested = Promise.withResolvers<Manifest>()
  const loader = Promise.withResolvers<(entry: ArchiveEntry) => Promise<void>>()
  // Nobody waits for it where the tables cannot be made.
  loader.promise.catch(() => undefined)
  const manifest = async (read: Manifest): Promise<void> => {
    manifested.resolve(read)
    await loader.promise
  }
  const written = fileWrites()
  const reading = readArchive(source, { manifest, entry: async entry => (await loader.promise)(entry) }, compressed)
  reading.catch(manifested.reject)
  try {
    const found = await manifested.promise
    checkManifest(found, plugins)
    const named = new Set(found.plugins.map(({ name }) => name))
    const owners = plugins.filter(({ name }) => named.has(name))
    const schemas = ['core', ...owners.map(({ name }) => name)]
    return await makeTables(database, { plugins: owners, migrations: found.migrations }, async db => {
      const { tables, left } = matchTables(found, await findTables(db, schemas))
      const rules = await liftRules(db, schemas)
      const loaded = { rows: 0, files: 0, jobs: [] as WaitingJob[] }
      // What the database does goes on while the next entries are read; one at a time.
      let working: Promise<void> = Promise.resolve()
      const work = async (next: () => Promise<void>): Promise<void> => {
        await working
        working = next()
        working.catch(() => undefined)
      }
      let ruled = false
      const rule = async (): Promise<void> => {
        if (ruled) return
        ruled = true
        await work(() => restoreRules(db, schemas, rules))
      }
      loader.resolve(async ({ name, size, bytes }) => {
        const table = tables.get(tableOfPart(name) ?? '')
        const file = fileOfEntry(name)
        const place = files.get(file?.plugin ?? '')
        if (table) {
          const text = await textOf(bytes)
          await work(async () => void (loaded.rows += await insertRows(db, table, text)))
        } else if (name === JOBS) loaded.jobs.push(...readJobs(await textOf(bytes)))
        else if (file) {
          // Tables come before files: indexes are made meanwhile.
          await rule()
          if (!place) return
          await written.add(file, place, size, bytes)
          loaded.files++
        }
      })
      try {
        await reading
        await rule()
        await Promise.all([working, written.end()])
      } finally {
        // No statement may come after the end of the transaction.
        await working.catch(() => undefined)
      }
      return { ...loaded, left, manifest: found }
    })
  } catch (error) {
    loader.reject(error)
    source.destroy()
    await written.undo()
    throw error
  }
}

const MOST_AT_ONCE = 16

/** Writes small files side by side: each waits for the disk, or for a server. */
function fileWrites() {
  const underWay = new Set<Promise<void>>()
  /** Keys that were not there before, by where they are. */
  const made = new Map<ArchivedFiles, string[]>()
  return {
    async add({ key }: { readonly key: string }, place: ArchivedFiles, size: number, bytes: AsyncIterable<Uint8Array>) {
      const keys = made.get(place) ?? []
      made.set(place, keys)
      const write = async (each: AsyncIterable<Uint8Array>): Promise<void> => {
        if ((await place.write(key, each, size)) !== false) keys.push(key)
      }
      if (size > HELD_BYTES) return write(bytes)
      const held: Uint8Array[] = []
      for await (const chunk of bytes) held.push(chunk)
      const writing = write(Readable.from(held))
      underWay.add(writing)
      // Heard of by whoever waits for it below.
      void writing.then(
        () => underWay.delete(writing),
        () => undefined,
      )
      if (underWay.size >= MOST_AT_ONCE) await Promise.race(underWay)
    },
    async end(): Promise<void> {
      await Promise.all(underWay)
      for (const place of made.keys()) await place.written?.()
    },
    /** Removes what was written and was not there before. */
    async undo(): Promise<void> {
      await Promise.allSettled(underWay)
      // The error that led here says more than one of the removal.
      for (const [place, keys] of made) await place.remove?.(keys).catch(() => undefined)
    },
  }
}

function readJobs(text: string): WaitingJob[] {
  const lines = text.split('\n').filter(line => line !== '')
  return lines.map(line => JSON.parse(line) as WaitingJob)
}

/** Tables by name; those of an extension that this server lacks are left. @throws HostError where columns would be lost */
function matchTables(
  { tables }: Manifest,
  found: readonly Table[],
): { readonly tables: ReadonlyMap<string, Table>; readonly left: readonly string[] } {
  const here = new Map(found.map(table => [table.name, table]))
  const matched = new Map<string, Table>()
  const left: string[] = []
  for (const { name, columns } of tables) {
    const table = here.get(name)
    const lost = columns.filter(column => table && !table.columns.includes(column))
    if (lost.length > 0)
      throw new HostError(`the archive has ${lost.join(', ')} of ${name}, which the table here has not`)
    if (table) matched.set(name, { ...table, columns: table.columns.filter(column => columns.includes(column)) })
    else left.push(name)
  }
  return { tables: matched, left }
}
