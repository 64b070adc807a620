import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { btree_gin } from '@electric-sql/pglite/contrib/btree_gin'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { dataDir as initialCluster } from '@electric-sql/pglite-prepopulatedfs'
import { vector } from '@electric-sql/pglite-pgvector'
import { DurableNodeFS, PrivateNodeFS, syncDirectory, syncTree } from './durable-fs.ts'
import type { Boot } from './wire.ts'

const extensions = { btree_gin, pg_trgm, vector }

/** For the engine that only unpacks a cluster: with its own 128 MB it would hold them until long after the next one is open. */
const LEAST_BUFFERS = '1MB'

/** Opens the cluster, making it first where there is none; runs in the worker thread. */
export async function openCluster({ engine, dataDir, sharedBuffers, snapshot }: Boot): Promise<PGlite> {
  const startFrom = snapshot && { loadDataDir: new Blob([Uint8Array.from(snapshot)]) }
  if (dataDir === null) {
    // Segments of 1 MB instead of 16: less to make, and less to copy into snapshots.
    return PGlite.create({
      ...startFrom,
      pgliteWasmModule: engine,
      extensions,
      startParams: startParams(sharedBuffers, false),
      initDbStartParams: ['--wal-segsize=1'],
    })
  }
  if (!existsSync(join(dataDir, 'PG_VERSION')))
    await createCluster(engine, dataDir, startFrom ?? { loadDataDir: await initialCluster() })
  // What a stopped query spilled stays behind; only a postmaster, which PGlite has not, would remove it.
  rmSync(join(dataDir, 'base', 'pgsql_tmp'), { recursive: true, force: true })
  return PGlite.create({
    pgliteWasmModule: engine,
    fs: new DurableNodeFS(dataDir),
    extensions,
    startParams: startParams(sharedBuffers, true),
  })
}

/**
 * Makes the cluster under another name, flushes it and renames it, so that a half-made one is never taken for a whole one.
 * A new one is unpacked from what initdb made elsewhere, since running it takes most of a first start.
 */
async function createCluster(
  engine: Boot['engine'],
  dataDir: string,
  startFrom: { readonly loadDataDir: Blob },
): Promise<void> {
  const unfinished = `${dataDir}.new`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { mode: 0o700 })
  const db = await PGlite.create({
    ...startFrom,
    pgliteWasmModule: engine,
    fs: new PrivateNodeFS(unfinished),
    startParams: startParams(LEAST_BUFFERS, false),
  })
  await db.close()
  await syncTree(unfinished)
  rmSync(dataDir, { recursive: true, force: true })
  renameSync(unfinished, dataDir)
  syncDirectory(dirname(dataDir))
}

function startParams(sharedBuffers: string, durable: boolean): string[] {
  const settings = {
    shared_buffers: sharedBuffers,
    timezone: 'UTC',
    // Without a checkpointer nothing else keeps the log from growing; this is what a CHECKPOINT shrinks it to.
    min_wal_size: '32MB',
    max_wal_size: '128MB',
    // A runaway query must not fill the disk before its time is up.
    temp_file_limit: '2GB',
    // The other methods end in system calls that Emscripten answers without doing anything.
    ...(durable && { wal_sync_method: 'fsync' }),
  }
  return [
    ...PGlite.defaultStartParams.filter(param => !(durable && param === '-F')),
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
}
