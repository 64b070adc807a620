import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Database } from '../db/database.ts'
import { makeTables, describeNewerDatabase } from '../db/migrate.ts'
import { migrationsOf } from '../db/migrations-of.ts'
import { HostError } from '../plugin/errors.ts'
import type { ArchivedFiles, PluginSpec } from '../plugin/plugin.ts'
import { fileOfEntry, HELD_BYTES, JOBS, tableOfPart, type Manifest } from './format.ts'
import { readArchive, textOf, type ArchiveEntry } from './read.ts'
import { findTables, insertRows, liftRules, restoreRules, type Table, type WaitingJob } from './tables.repository.ts'

export interface LoadOptions {
  readonly database: Database
  /** All installed plugins, in dependency order. */
  readonly plugins: readonly PluginSpec[]
  /** File storage by plugin; files of other plugins are skipped. */
  readonly files: ReadonlyMap<string, ArchivedFiles>
  readonly fileWriter: FileWriter
  readonly source: Readable
  /** False if the archive comes straight from the process that writes it. */
  readonly compressed: boolean
}

/** Writes the files of an archive, and removes them if something else fails. */
export type FileWriter = ReturnType<typeof createFileWriter>

/** Result of loading an archive. */
export interface LoadResult {
  readonly manifest: Manifest
  readonly rows: number
  readonly files: number
  /** Jobs to enqueue once the job queue has started. */
  readonly jobs: readonly WaitingJob[]
  /** Tables that this server cannot create because it lacks an extension; their content is computed again. */
  readonly left: readonly string[]
}

/** Checks that this program can load the archive. @throws HostError that names the fix */
function checkManifest({ kind, migrations, plugins }: Manifest, installed: readonly PluginSpec[]): void {
  if (kind !== 'backup') throw new HostError('the archive is an export of one user, not a backup; nothing was changed')
  const names = new Set(installed.map(({ name }) => name))
  const missing = plugins.filter(({ name }) => !names.has(name)).map(({ name }) => name)
  if (missing.length > 0)
    throw new HostError(
      `the archive has data of ${missing.join(', ')}, which the config does not name; nothing was changed: ` +
        'install the same plugins and name them under "plugins", with false where they shall be off',
    )
  const knownMigrations = new Set(migrationsOf(installed).map(({ name }) => name))
  const newer = migrations.filter(name => !knownMigrations.has(name))
  if (newer.length > 0) throw new HostError(describeNewerDatabase(newer.map(migration => ({ migration, needs: null }))))
}

/** Reads a whole archive without writing anything. @throws HostError if it is damaged or this program cannot load it */
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
 * Loads an archive into an empty database, at the migrations of the source database. Everything except files is loaded in one transaction.
 * @throws HostError
 */
export async function loadArchive(options: LoadOptions): Promise<LoadResult> {
  const { database, plugins, files, fileWriter, source, compressed } = options
  const manifestRead = Promise.withResolvers<Manifest>()
  const loader = Promise.withResolvers<(entry: ArchiveEntry) => Promise<void>>()
  // Nothing awaits this promise if creating the tables fails.
  loader.promise.catch(() => undefined)
  const manifest = async (read: Manifest): Promise<void> => {
    manifestRead.resolve(read)
    await loader.promise
  }
  const readingDone = readArchive(source, { manifest, entry: async entry => (await loader.promise)(entry) }, compressed)
  readingDone.catch(manifestRead.reject)
  try {
    const found = await manifestRead.promise
    checkManifest(found, plugins)
    const archivedPlugins = new Set(found.plugins.map(({ name }) => name))
    const owners = plugins.filter(({ name }) => archivedPlugins.has(name))
    const schemas = ['core', ...owners.map(({ name }) => name)]
    return await makeTables(database, { plugins: owners, migrations: found.migrations }, async db => {
      const { tables, left } = matchTables(found, await findTables(db, schemas))
      const rules = await liftRules(db, schemas)
      const loaded = { rows: 0, files: 0, jobs: [] as WaitingJob[] }
      // The database works on one entry while the next ones are read.
      let lastStep: Promise<void> = Promise.resolve()
      const enqueueStep = async (next: () => Promise<void>): Promise<void> => {
        await lastStep
        lastStep = next()
        lastStep.catch(() => undefined)
      }
      let rulesRestored = false
      const restoreOnce = async (): Promise<void> => {
        if (rulesRestored) return
        rulesRestored = true
        await enqueueStep(() => restoreRules(db, schemas, rules))
      }
      loader.resolve(async ({ name, size, bytes }) => {
        const table = tables.get(tableOfPart(name) ?? '')
        const file = fileOfEntry(name)
        const place = files.get(file?.plugin ?? '')
        if (table) {
          const text = await textOf(bytes)
          await enqueueStep(async () => void (loaded.rows += await insertRows(db, table, text)))
        } else if (name === JOBS) {
          const lines = (await textOf(bytes)).split('\n').filter(line => line !== '')
          loaded.jobs.push(...lines.map(line => JSON.parse(line) as WaitingJob))
        } else if (file) {
          // Tables come before files, so the indexes are built while files are read.
          await restoreOnce()
          if (!place) return
          await fileWriter.add(file, place, size, bytes)
          loaded.files++
        }
      })
      try {
        await readingDone
        await restoreOnce()
        await Promise.all([lastStep, fileWriter.end()])
      } finally {
        // No statement may follow the end of the transaction.
        await lastStep.catch(() => undefined)
      }
      return { ...loaded, left, manifest: found }
    })
  } catch (error) {
    loader.reject(error)
    source.destroy()
    await fileWriter.undo()
    throw error
  }
}

const MAX_CONCURRENT = 16

/** Writes small files concurrently, because each write waits for the disk or for a server. */
export function createFileWriter() {
  const pending = new Set<Promise<void>>()
  /** Keys that did not exist before, by storage. */
  const createdKeys = new Map<ArchivedFiles, string[]>()
  return {
    async add({ key }: { readonly key: string }, place: ArchivedFiles, size: number, bytes: AsyncIterable<Uint8Array>) {
      const keys = createdKeys.get(place) ?? []
      createdKeys.set(place, keys)
      const write = async (each: AsyncIterable<Uint8Array>): Promise<void> => {
        if ((await place.write(key, each, size)) !== false) keys.push(key)
      }
      if (size > HELD_BYTES) return write(bytes)
      const writing = write(Readable.from([await buffer(bytes)]))
      pending.add(writing)
      // `Promise.race` and `Promise.all` below report the error.
      void writing.then(
        () => pending.delete(writing),
        () => undefined,
      )
      if (pending.size >= MAX_CONCURRENT) await Promise.race(pending)
    },
    async end(): Promise<void> {
      await Promise.all(pending)
      for (const place of createdKeys.keys()) await place.written?.()
    },
    /** Removes the files that were newly written. */
    async undo(): Promise<void> {
      await Promise.allSettled(pending)
      // The original error matters more than an error of the removal.
      for (const [place, keys] of createdKeys) await place.remove?.(keys).catch(() => undefined)
    },
  }
}

/** Matches tables by name; a table whose extension this server lacks is skipped. @throws HostError if columns would be lost */
function matchTables(
  { tables }: Manifest,
  found: readonly Table[],
): { readonly tables: ReadonlyMap<string, Table>; readonly left: readonly string[] } {
  const existing = new Map(found.map(table => [table.name, table]))
  const matched = new Map<string, Table>()
  const left: string[] = []
  for (const { name, columns } of tables) {
    const table = existing.get(name)
    const missingColumns = columns.filter(column => table && !table.columns.includes(column))
    if (missingColumns.length > 0)
      throw new HostError(`the archive has ${missingColumns.join(', ')} of ${name}, which the table here has not`)
    if (table) matched.set(name, { ...table, columns: table.columns.filter(column => columns.includes(column)) })
    else left.push(name)
  }
  return { tables: matched, left }
}
