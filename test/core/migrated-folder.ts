import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createTestDatabase, type Engine } from '../../core/testing/database.ts'

/** Copies a migrated embedded database without users into a `DATA_DIR` if a template was prepared; creating one takes many seconds. */
export async function migratedFolder(dataDir: string): Promise<void> {
  const snapshot = process.env['TEST_TEMPLATE_SNAPSHOT']
  if (!snapshot) return
  const folder = join(dataDir, 'database')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  await promisify(execFile)('tar', ['-xf', snapshot, '-C', folder])
}

/**
 * Prepares a migrated database for commands: in their `DATA_DIR`, or on PostgreSQL, whose address becomes their `DATABASE_URL`.
 * @returns what drops it
 */
export async function migratedDatabase(engine: Engine, env: Record<string, string>): Promise<() => Promise<void>> {
  if (engine === 'pglite') {
    await migratedFolder(env['DATA_DIR']!)
    return async () => undefined
  }
  const { url, drop } = await createTestDatabase()
  env['DATABASE_URL'] = url
  return drop
}
