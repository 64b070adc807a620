import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { compileEngine } from '../core/db/pglite/engine.ts'

/**
 * Reads a dump of an empty embedded cluster that is as small as possible, because every test host copies it. Creates it if it is missing,
 * which takes seconds.
 * @param cache folder that is kept between runs
 */
export async function readSmallCluster(cache: string): Promise<Uint8Array> {
  const manifest = readFileSync(findPackageJSON('@electric-sql/pglite', import.meta.url)!, 'utf8')
  const { version } = JSON.parse(manifest) as { readonly version: string }
  const file = join(cache, `cluster-${version}.tar`)
  try {
    return readFileSync(file)
  } catch {
    const cluster = await createSmallCluster()
    mkdirSync(cache, { recursive: true })
    // Renamed, because another run may read it at the same time.
    writeFileSync(`${file}.${process.pid}`, cluster)
    renameSync(`${file}.${process.pid}`, file)
    return cluster
  }
}

async function createSmallCluster(): Promise<Uint8Array> {
  const database = await PGlite.create({
    pgliteWasmModule: compileEngine(),
    // Segments of the WAL have 1 MB instead of 16.
    initDbStartParams: ['--wal-segsize=1'],
  })
  // The default template databases are half of the data.
  await database.exec('update pg_database set datistemplate = false where datname <> current_database()')
  for (const name of ['template0', 'template1']) await database.exec(`drop database ${name}`)
  await database.exec('checkpoint')
  const dump = await database.dumpDataDir('none')
  await database.close()
  return new Uint8Array(await dump.arrayBuffer())
}
