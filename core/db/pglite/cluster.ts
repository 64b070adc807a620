import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { PGlite } from '@electric-sql/pglite'
import { btree_gin } from '@electric-sql/pglite/contrib/btree_gin'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { dataDir as initialCluster } from '@electric-sql/pglite-prepopulatedfs'
import { vector } from '@electric-sql/pglite-pgvector'
import { draftPath, TEMPORARY } from './copy-cluster.ts'
import { DurableNodeFS, syncDirectory, syncTree } from './durable-fs.ts'
import type { Boot } from './wire.ts'

const extensions = { btree_gin, pg_trgm, vector }

/** Opens the cluster and creates it if it is missing. Runs in the worker thread. */
export async function openCluster({ engine, dataDir, snapshot }: Boot): Promise<PGlite> {
  if (dataDir === null) {
    return PGlite.create({
      loadDataDir: asBlob(snapshot ?? (await readInitialCluster())),
      pgliteWasmModule: engine,
      extensions,
      startParams: startParams({ durable: false }),
    })
  }
  if (!existsSync(join(dataDir, 'PG_VERSION'))) await createCluster(dataDir, snapshot ?? (await readInitialCluster()))
  removeTemporaryFiles(join(dataDir, 'base'))
  return PGlite.create({
    pgliteWasmModule: engine,
    fs: new DurableNodeFS(dataDir),
    extensions,
    startParams: startParams({ durable: true }),
  })
}

/** Reads the tar of a new cluster; initdb would take seconds. */
async function readInitialCluster(): Promise<Uint8Array> {
  return gunzipSync(await (await initialCluster()).arrayBuffer())
}

/** PGlite reads these two properties only. A Blob would copy the archive twice, and could not hold shared memory. */
function asBlob(archive: Uint8Array): Blob {
  const { buffer, byteLength } = archive
  return {
    type: '',
    arrayBuffer: async () => (buffer.byteLength === byteLength ? buffer : archive.slice().buffer),
  } as Blob
}

/** Removes what cancelled queries and killed sessions left behind. A postmaster would do it, but PGlite has none. */
function removeTemporaryFiles(base: string): void {
  rmSync(join(base, 'pgsql_tmp'), { recursive: true, force: true })
  for (const database of readdirSync(base))
    for (const name of readdirSync(join(base, database))) if (TEMPORARY.test(name)) rmSync(join(base, database, name))
}

/**
 * Creates the cluster under a temporary name, flushes it to disk and renames it, so that an incomplete one is never opened.
 * @param archive tar of a new cluster: initdb, or an engine that unpacks it, would take most of a first start
 */
async function createCluster(dataDir: string, archive: Uint8Array): Promise<void> {
  const temporaryFolder = `${dataDir}.new`
  // What was left by a restore or copy that was killed: one under way would hold the lock.
  for (const left of [temporaryFolder, draftPath(dataDir)]) rmSync(left, { recursive: true, force: true })
  mkdirSync(temporaryFolder, { mode: 0o700 })
  await unpack(archive, temporaryFolder)
  await syncTree(temporaryFolder)
  rmSync(dataDir, { recursive: true, force: true })
  renameSync(temporaryFolder, dataDir)
  syncDirectory(dirname(dataDir))
}

/** Unpacks the folders and files of a cluster, which only their owner can open. */
async function unpack(archive: Uint8Array, folder: string): Promise<void> {
  const { extract } = await import('tar-stream')
  const tar = extract()
  tar.end(archive)
  for await (const entry of tar) {
    const path = join(folder, entry.header.name)
    if (entry.header.type === 'directory') mkdirSync(path, { recursive: true, mode: 0o700 })
    else writeFileSync(path, await buffer(entry), { mode: 0o600 })
    entry.resume()
  }
}

function startParams({ durable }: { readonly durable: boolean }): string[] {
  const settings = {
    // In memory, the engine's file system is as fast.
    shared_buffers: durable ? '32MB' : '8MB',
    random_page_cost: '1.1',
    timezone: 'UTC',
    // PGlite has no checkpointer: only `maintain()` limits the WAL. A CHECKPOINT shrinks it to this size.
    min_wal_size: '32MB',
    max_wal_size: '128MB',
    // Keeps a runaway query from filling the disk before its timeout.
    temp_file_limit: '2GB',
    // The other methods use system calls that are no-ops in Emscripten.
    ...(durable && { wal_sync_method: 'fsync' }),
  }
  return [
    ...PGlite.defaultStartParams.filter(param => !(durable && param === '-F')),
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
}
