import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Copies a migrated embedded database without users into a `DATA_DIR` if a template was prepared; creating one takes many seconds. */
export async function migratedFolder(dataDir: string): Promise<void> {
  const snapshot = process.env['TEST_TEMPLATE_SNAPSHOT']
  if (!snapshot) return
  const folder = join(dataDir, 'database')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  await promisify(execFile)('tar', ['-xf', snapshot, '-C', folder])
}
