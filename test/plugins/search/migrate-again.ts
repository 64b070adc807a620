import assert from 'node:assert/strict'
import type { TestHost } from 'tasuki/testing'
import { migrate } from '../../../core/db/migrate.ts'

/** Runs a migration again on the existing data, as if an earlier version had written it. */
export async function migrateAgain(host: TestHost, name: string): Promise<void> {
  await host.sql`delete from core.migrations where name = ${name}`
  assert.deepEqual(await migrate(host.database, host.registry.plugins), [name])
}
