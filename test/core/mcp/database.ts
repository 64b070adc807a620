import { accounts } from '../../../core/identity/accounts.ts'
import { createDeployment } from '../../../core/host/deployment.ts'
import { openEmbeddedDatabase } from '../../../core/db/embedded.ts'
import type { Database } from '../../../core/db/database.ts'
import { migrate } from '../../../core/db/migrate.ts'
import { createRunner } from '../../../core/runtime/runner.ts'
import { startDemo, type Demo, type DemoOptions } from './stub.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }

export interface StoredDemo extends Demo {
  readonly database: Database
  close(): Promise<void>
}

/** Starts the demo endpoint on an in-memory database with the tables of core. */
export async function startStoredDemo(options: DemoOptions = {}): Promise<StoredDemo> {
  const database = await openEmbeddedDatabase({ plugins: [], dataDir: null, queryTimeout: 10_000, log: quiet })
  await migrate(database, [])
  const demo = await startDemo({
    ...options,
    runner: (registry, world) =>
      createRunner({
        database,
        registry,
        deployment: createDeployment({ dataDir: '.', baseUrl: () => 'http://localhost', secret: Buffer.alloc(32) }),
        accounts,
        now: () => world.now,
        enqueue: async () => undefined,
        forget: () => undefined,
        publish: () => undefined,
      }),
  })
  return {
    ...demo,
    database,
    async close() {
      await demo.app.close()
      await database.close()
    },
  }
}
