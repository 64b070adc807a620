import { existsSync, readdirSync } from 'node:fs'
import { copyFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { PassThrough } from 'node:stream'
import { createFileWriter, loadArchive, type FileWriter, type LoadOptions, type LoadResult } from '../archive/load.ts'
import type { WaitingJob } from '../archive/tables.repository.ts'
import { readFiles } from '../archive/write.ts'
import { fileProblem, fullDisk, makeFolder } from '../db/file-problem.ts'
import { draftPath } from '../db/pglite/copy-cluster.ts'
import { lockFolder, lockPath, movedMark } from '../db/pglite/folder-lock.ts'
import { hasCluster } from '../db/pglite/preopen.ts'
import { KEY_FILE } from '../identity/signing-key.ts'
import { HostError } from '../plugin/errors.ts'
import type { ArchivedFiles, PluginSpec } from '../plugin/plugin.ts'
import { TRACE } from '../runtime/observed-job.ts'
import { dependencyOrder } from '../runtime/registry/order.ts'
import { checkSettings } from '../runtime/registry/settings.ts'
import { systemScope } from '../runtime/system-scope.ts'
import { filesOfPlugins } from './archiver.ts'
import { databaseFolder } from './config/environment.ts'
import { loadOffPlugins } from './config/plugins.ts'
import { reasonOf } from './external-services.ts'
import { quietLog } from './quiet-log.ts'
import type { HostOptions } from './host-options.ts'
import type { Host } from './host.ts'
import { openDatabase } from './open-database.ts'

/** Options of the target deployment, whose database must be empty. */
export type TargetOptions = Omit<HostOptions, 'warmUp' | 'beforeMigrating'>

/** @throws HostError if the folder of an embedded database has content; a PostgreSQL database is checked after opening */
export function requireEmptyFolder({ database }: Pick<TargetOptions, 'database'>): void {
  const folder = database.engine === 'pglite' ? database.dataDir : null
  if (folder === null || !existsSync(folder) || readdirSync(folder).length === 0) return
  const content = hasCluster(folder) ? 'is a database' : 'are other files'
  throw new HostError(
    `there ${content} in ${folder} already; nothing was changed: choose another folder (DATA_DIR of a restore, --to of a copy), or move this one away`,
  )
}

/** Lists all installed plugins, including disabled ones, in dependency order. */
export async function installedPlugins({ plugins, config, configFolder }: TargetOptions): Promise<PluginSpec[]> {
  const disabledPlugins = await loadOffPlugins(config, configFolder ?? process.cwd())
  const enabledPlugins = plugins.map(({ plugin }) => plugin)
  return dependencyOrder([...enabledPlugins, ...disabledPlugins].map(({ spec }) => ({ spec, options: {} }))).map(
    ({ spec }) => spec,
  )
}

/** Loads an archive into an empty deployment and migrates it to this version. An embedded database is created atomically. */
export async function loadInto(
  options: TargetOptions,
  archive: Omit<LoadOptions, 'database' | 'fileWriter'>,
): Promise<LoadResult> {
  const { database } = options
  const fileWriter = createFileWriter()
  const load = async (dataDir: string | null): Promise<LoadResult> => {
    const target = dataDir === null ? options : { ...options, database: { engine: 'pglite' as const, dataDir } }
    const loaded = await fill(target, { ...archive, fileWriter })
    await startAndEnqueue(target, loaded.jobs).catch((error: unknown) => {
      // An embedded database is removed, as after any other failure.
      if (database.engine === 'pglite') throw error
      const why = `the data is loaded, but the service does not start on it: ${reasonOf(error)}`
      throw new HostError(`${why}; mend that, and start again with an empty database`, { cause: error })
    })
    return loaded
  }
  try {
    if (database.engine !== 'pglite' || database.dataDir === null) return await load(null)
    return await createFolder(database.dataDir, fileWriter, load)
  } finally {
    archive.source.destroy()
  }
}

/**
 * Creates the folder of an embedded database under a temporary name, so that an incomplete one is never opened. Its lock is held meanwhile:
 * another restore would use the same temporary name, and a start would create a database in its place.
 * @param fileWriter has written the files of plugins, which are removed on failure
 */
async function createFolder<T>(
  final: string,
  fileWriter: FileWriter,
  create: (folder: string) => Promise<T>,
): Promise<T> {
  const unlock = lockFolder(final)
  const draft = draftPath(final)
  const remove = () => Promise.all([draft, lockPath(draft)].map(path => rm(path, { recursive: true, force: true })))
  try {
    requireEmptyFolder({ database: { engine: 'pglite', dataDir: final } })
    await remove()
    const result = await create(draft)
    await rename(draft, final)
    await rm(movedMark(final), { force: true })
    const { syncDirectory } = await import('../db/pglite/durable-fs.ts')
    syncDirectory(resolve(final, '..'))
    return result
  } catch (error) {
    await fileWriter.undo()
    const why = fileProblem(error) ?? (await fullDisk(draft))
    throw why === null ? error : new HostError(`${final} cannot be written: ${why}`, { cause: error })
  } finally {
    await remove()
    unlock()
  }
}

async function fill(target: TargetOptions, options: Omit<LoadOptions, 'database'>): Promise<LoadResult> {
  const database = await openDatabase(target, options.plugins, quietLog)
  try {
    return await loadArchive({ ...options, database })
  } finally {
    await database.close()
  }
}

/** Starts a host, which migrates the database and creates the queue, to enqueue the jobs. */
async function startAndEnqueue(target: TargetOptions, jobs: readonly WaitingJob[]): Promise<void> {
  const { buildHost } = await import('./host.ts')
  const host = await buildHost({ ...target, warmUp: false })
  try {
    await enqueue(host, jobs)
  } finally {
    await host.app.close()
  }
}

/** Enqueues jobs of an archive, except scheduled ones, which the schedule creates again. */
async function enqueue({ runner, registry, authenticator, app }: Host, jobs: readonly WaitingJob[]): Promise<void> {
  const byName = new Map(registry.jobs.map(job => [job.name, job]))
  const restored = jobs.flatMap(({ name, payload: data, at, key }) => {
    // The trace of the original caller has ended.
    const { [TRACE]: _, ...payload } = data as Readonly<Record<string, unknown>>
    const job = byName.get(name)
    const scheduled = job?.schedule !== undefined && Object.keys(payload).length === 0
    return job && !scheduled ? { job, payload, at: new Date(at), key } : []
  })
  if (restored.length === 0) return
  await runner.write(systemScope(authenticator, 'restore', app.log), async ctx => {
    for (const { job, payload, at, key } of restored)
      await ctx.enqueue(job, payload, { at, ...(key !== null && { key }) })
  })
}

/** Target of a copy: a PostgreSQL database with the same data folder, or a new data folder. */
export type CopyTarget = { readonly url: string } | { readonly folder: string }

/** Describes a target without user and password. */
export function describeTarget(to: CopyTarget): string {
  if ('folder' in to) return to.folder
  const { host, pathname } = new URL(to.url)
  return `${host}${pathname}`
}

/** Plugin settings that differ in the target, by plugin. */
export type OtherSettings = Readonly<Record<string, object>>

/** Returns access to the files of plugins in a deployment with other settings. @throws HostError if the settings are invalid */
function filesOfTarget(
  registry: Host['registry'],
  dataDir: string,
  settings: OtherSettings,
): Map<string, ArchivedFiles> {
  const checked = new Map(
    Object.entries(settings).map(([name, rawSettings]) => {
      const spec = registry.plugins.find(plugin => plugin.name === name)
      if (!spec) throw new HostError(`there are settings for ${name}, which is no plugin that is on`)
      return [name, checkSettings(spec, rawSettings)]
    }),
  )
  const config: Host['registry']['config'] = key =>
    checked.has(key.plugin) ? (checked.get(key.plugin) as never) : registry.config(key)
  return new Map(filesOfPlugins({ plugins: registry.plugins, config }, dataDir))
}

/**
 * Copies a running deployment into an empty one, from a consistent snapshot. Files are copied only if their location differs in the target:
 * another folder, or another storage according to `settings`.
 * @returns the result, the locations of files that both deployments share, and the file that marks the embedded database as moved
 */
export async function copyDeployment(
  { archiver, registry, options }: Pick<Host, 'archiver' | 'registry' | 'options'>,
  to: CopyTarget,
  settings: OtherSettings = {},
): Promise<Copied & { readonly shared: readonly string[]; readonly mark?: string }> {
  const dataDir = 'folder' in to ? to.folder : options.dataDir
  const database: HostOptions['database'] =
    'folder' in to
      ? { engine: 'pglite', dataDir: databaseFolder({ dataDir }) }
      : { engine: 'postgres', url: to.url, replicaUrl: null, variable: '--to' }
  const sourceFiles = filesOfPlugins(registry, resolve(options.dataDir))
  const targetFiles = filesOfTarget(registry, resolve(dataDir), settings)
  const moved = new Map([...targetFiles].filter(([plugin, { place }]) => sourceFiles.get(plugin)?.place !== place))
  const shared = [...targetFiles].flatMap(([plugin, { place }]) => (moved.has(plugin) ? [] : [place]))
  // The port is in use, by this very service.
  const { beforeMigrating: _, ...deployment } = options
  const target = {
    ...deployment,
    plugins: options.plugins.map(entry => ({
      ...entry,
      options: settings[entry.plugin.spec.name] ?? entry.options,
    })),
    database,
    dataDir,
    logger: false as const,
    fastifyPlugins: [],
    reading: false,
  }
  requireEmptyFolder(target)
  if ('folder' in to) {
    if (`${resolve(dataDir)}/`.startsWith(`${databaseFolder(options)}/`))
      throw new HostError(`${dataDir} is in the database that is copied: choose another folder`)
    makeFolder(dataDir, 0o700)
  }
  const copied =
    'folder' in to && archiver.copyDatabase
      ? await copyFiles(databaseFolder({ dataDir }), archiver.copyDatabase, moved)
      : await copyByArchive(archiver, target, moved)
  // Sealed values can be decrypted only with the same key.
  if ('folder' in to) {
    await copyFile(join(options.dataDir, KEY_FILE), join(dataDir, KEY_FILE)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
  } else if (options.database.engine === 'pglite' && options.database.dataDir !== null) {
    // Commands without DATABASE_URL would otherwise act on the database that nobody serves any more.
    const mark = movedMark(options.database.dataDir)
    await writeFile(mark, `${describeTarget(to)}\n`, { mode: 0o600 })
    return { ...copied, shared, mark }
  }
  return { ...copied, shared }
}

/** What a copy consists of. */
type Copied = Pick<LoadResult, 'files' | 'left'> & Partial<Pick<LoadResult, 'rows'>>

/** Copies by an archive that is read while it is written, to the other kind of database. */
async function copyByArchive(
  archiver: Host['archiver'],
  target: TargetOptions,
  moved: ReadonlyMap<string, ArchivedFiles>,
): Promise<Copied> {
  const plugins = await installedPlugins(target)
  const stream = new PassThrough({ highWaterMark: 1 << 20 })
  const writing = archiver.backup(stream, { compressed: false, files: plugin => moved.has(plugin) })
  // The first failure is the cause.
  writing.catch((error: Error) => stream.destroy(error))
  const loaded = await loadInto(target, { source: stream, compressed: false, plugins, files: moved })
  await writing
  return loaded
}

/** Copies the files of the embedded database, and those of plugins: a second engine would need more memory than the service has. */
function copyFiles(
  folder: string,
  copyDatabase: NonNullable<Host['archiver']['copyDatabase']>,
  moved: ReadonlyMap<string, ArchivedFiles>,
): Promise<Copied> {
  const writer = createFileWriter()
  return createFolder(folder, writer, async draft => {
    let files = 0
    for (const { plugin, storage, list } of await copyDatabase(draft, plugin => moved.has(plugin)))
      for await (const { key, size, bytes } of readFiles(storage, list)) {
        if (bytes === null) continue
        await writer.add({ key }, moved.get(plugin)!, size, bytes)
        files++
      }
    await writer.end()
    return { files, left: [] }
  })
}
