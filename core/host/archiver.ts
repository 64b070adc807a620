import { randomBytes } from 'node:crypto'
import { open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Writable } from 'node:stream'
import { ARCHIVE_FORMAT, type Manifest } from '../archive/format.ts'
import { findSchemas, findTables, readWaitingJobs, type Table } from '../archive/tables.repository.ts'
import { writeArchive, type ArchiveSource, type StoredFiles, type WriteSummary } from '../archive/write.ts'
import type { Database } from '../db/database.ts'
import { fileProblem, makeFolder } from '../db/file-problem.ts'
import { readMigrations } from '../db/migrate.ts'
import { userRows } from '../identity/delete-user.ts'
import { derivedKey } from '../identity/signing-key.ts'
import type { AuditRecord } from '../plugin/audit.ts'
import type { Db } from '../plugin/context.ts'
import { HostError } from '../plugin/errors.ts'
import { compare, type Condition } from '../plugin/sql.ts'
import type { ArchivedFiles } from '../plugin/plugin.ts'
import type { User } from '../plugin/users.ts'
import { userExported } from '../runtime/audit/actions.ts'
import { JOBS_SCHEMA } from '../runtime/queue.repository.ts'
import { readPlugins } from '../runtime/plugin.repository.ts'
import type { Registry } from '../runtime/registry/types.ts'
import { VERSION } from '../plugin/version.ts'

export interface ArchiverOptions {
  readonly database: Database
  readonly registry: Pick<Registry, 'all' | 'config' | 'plugins'>
  readonly dataDir: string
  readonly secret: Buffer
  readonly now: () => Date
}

/** The user whose data is exported. */
export type ExportedUser = Pick<User, 'id' | 'email'>

/** Writes archives of the running deployment. */
export interface Archiver {
  /** Writes a backup. @param files returns false for plugins whose files to omit */
  backup(
    target: Writable,
    options?: { compressed?: boolean; files?: (plugin: string) => boolean },
  ): Promise<WriteSummary>
  /** Copies the files of the embedded database to a new folder; null on PostgreSQL. @returns the files of the included plugins, which are not copied */
  readonly copyDatabase:
    | ((folder: string, files: (plugin: string) => boolean) => Promise<readonly StoredFiles[]>)
    | null
  /** Exports the data of one user: the rows that deleting the user would delete, without credentials. */
  exportUser(target: Writable, user: ExportedUser): Promise<WriteSummary>
}

/** Tables of core that an export of a user omits: credentials, and stored results of calls. */
export const NOT_EXPORTED = [
  'tokens',
  'confirmations',
  'page_confirmations',
  'idempotency_keys',
  'oauth_artifacts',
].map(name => `core.${name}`)

export function createArchiver({ database, registry, dataDir, secret, now }: ArchiverOptions): Archiver {
  const manifestOf = async (db: Db): Promise<Omit<Manifest, 'kind' | 'tables'>> => ({
    format: ARCHIVE_FORMAT,
    version: VERSION,
    created_at: now().toISOString(),
    engine: database.engine,
    key: fingerprint(secret),
    migrations: [...(await readMigrations(db))],
    plugins: (await readPlugins(db)).map(({ name, version, enabled }) => ({ name, version, enabled })),
  })
  const filesOf = async (
    db: Db,
    ownerId: string | null,
    included: (plugin: string) => boolean = () => true,
  ): Promise<StoredFiles[]> => {
    const found: StoredFiles[] = []
    for (const [plugin, storage] of filesOfPlugins(registry, dataDir)) {
      if (!included(plugin)) continue
      const list: { readonly key: string; readonly size: number }[] = []
      for await (const { key, size } of storage.list(db, ownerId)) list.push({ key, size })
      found.push({ plugin, storage, list })
    }
    return found
  }
  const { copyTo } = database
  return {
    copyDatabase: copyTo && ((folder, included) => copyTo(folder, db => filesOf(db, null, included))),
    backup: (target, { compressed = true, files } = {}) =>
      database.snapshot(
        async (db): Promise<ArchiveSource> => {
          const tables = await findTables(db, await findSchemas(db))
          return {
            manifest: { ...(await manifestOf(db)), kind: 'backup', tables: namesOf(tables) },
            tables,
            jobs: await readWaitingJobs(db, JOBS_SCHEMA),
            files: await filesOf(db, null, files),
          }
        },
        (source, rows) => writeArchive(source, rows, target, compressed),
      ),
    exportUser: (target, { id, email }) =>
      database.snapshot(
        async (db): Promise<ArchiveSource> => {
          const omitted = new Set([...NOT_EXPORTED, ...registry.plugins.flatMap(({ notExported = [] }) => notExported)])
          const conditions = new Map<string, Condition>([
            ...(await userRows({ db, all: registry.all }, { id, email }, { forExport: true })).map(
              ({ schema, table, where }) => [`${schema}.${table}`, where] as const,
            ),
            ['core.audit', compare('owner_id', '=', id)],
          ])
          const found = await findTables(db, [...new Set([...conditions.keys()].map(name => name.split('.')[0]!))])
          const tables = found.flatMap(table => {
            const where = conditions.get(table.name)
            const columns = table.columns.filter(column => !omitted.has(`${table.name}.${column}`))
            return where && !omitted.has(table.name) ? { ...table, columns, where } : []
          })
          return {
            manifest: { ...(await manifestOf(db)), kind: 'export', tables: namesOf(tables), user: { id, email } },
            tables,
            jobs: [],
            files: await filesOf(db, id),
          }
        },
        (source, rows) => writeArchive(source, rows, target),
      ),
  }
}

function namesOf(tables: readonly Table[]): Manifest['tables'] {
  return tables.map(({ name, columns }) => ({ name, columns: [...columns] }))
}

/** Returns access to the files of the enabled plugins, for a deployment with this data folder. */
export function filesOfPlugins(
  { plugins, config }: Pick<Registry, 'config' | 'plugins'>,
  dataDir: string,
): ReadonlyMap<string, ArchivedFiles> {
  const deployment = { dataDir }
  return new Map(
    plugins.flatMap(spec => (spec.archivedFiles ? [[spec.name, spec.archivedFiles({ config, deployment })]] : [])),
  )
}

/** Returns an identifier of a secret that reveals nothing about it. */
export function fingerprint(secret: Buffer): string {
  return derivedKey(secret, 'archive fingerprint').toString('hex').slice(0, 16)
}

/** Builds the audit record of an export. */
export function exportRecord({ id, email }: ExportedUser, { rows, files }: WriteSummary): AuditRecord {
  return { action: userExported, userId: id, target: { kind: 'user', id, name: email }, details: { rows, files } }
}

/** Summary of an archive written to a file. */
export interface WrittenFile extends WriteSummary {
  readonly file: string
  /** Size of the file in bytes. */
  readonly size: number
}

/** Writes a file atomically, readable only by its owner. @throws HostError */
export async function writeFileAtomically(
  file: string,
  write: (target: Writable) => Promise<WriteSummary>,
): Promise<WrittenFile> {
  const draft = `${file}.${randomBytes(4).toString('hex')}.partial`
  try {
    if (await stat(file).catch(() => null)) throw new HostError(`${file} is there already; name another one`)
    makeFolder(dirname(file))
    await using target = (await open(draft, 'wx', 0o600)).createWriteStream()
    const summary = await write(target)
    await using handle = await open(draft, 'r+')
    await handle.sync()
    const { size } = await handle.stat()
    await rename(draft, file)
    return { ...summary, file, size }
  } catch (error) {
    // The database, or a file that is read, may be on another disk.
    const { syscall, path = draft, message } = error as NodeJS.ErrnoException
    const why = syscall !== undefined && draft.startsWith(path) ? (fileProblem(error) ?? message) : null
    throw why === null ? error : new HostError(`${file} cannot be written: ${why}`, { cause: error })
  } finally {
    // It must not hide the error of a folder that cannot be written.
    await rm(draft, { force: true }).catch(() => undefined)
  }
}

/** Returns a file name such as `<what>-2026-11-23T101500Z.tar.gz`. */
export function archiveName(what: string, at: Date): string {
  return `${what}-${at.toISOString().slice(0, 19).replaceAll(':', '')}Z.tar.gz`
}
