import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../host/config/load.ts'
import { loadPlugins } from '../host/config/plugins.ts'
import { buildHost } from '../host/host.ts'
import type { HostOptions } from '../host/host-options.ts'
import { createTestDatabase, type Engine } from './database.ts'

/**
 * Migrates one template database per engine; every test host starts from a copy.
 * @param folder folder for the embedded template; it can be deleted after all tests
 * @returns environment variables for the test processes, and a function that drops the databases
 */
export async function prepareTemplates(
  engines: readonly Engine[],
  folder: string,
): Promise<{ variables: Record<string, string>; drop(): Promise<void> }> {
  const variables: Record<string, string> = {}
  let drop = (): Promise<void> => Promise.resolve()
  if (engines.includes('pglite')) {
    const file = join(folder, 'template.tar')
    await withMigratedHost({ engine: 'pglite', dataDir: null }, async host => {
      const embedded = host.database.embedded!
      // PostgreSQL's default template databases are half of the data that every test would read and write.
      await embedded.exec(`update pg_database set datistemplate = false where datname <> current_database()`)
      for (const name of ['template0', 'template1']) await embedded.exec(`drop database ${name}`)
      await writeFile(file, await embedded.dump())
    })
    variables['TEST_TEMPLATE_SNAPSHOT'] = file
  }
  if (engines.includes('postgres')) {
    const template = await createTestDatabase()
    const { url } = template
    drop = template.drop
    await withMigratedHost({ engine: 'postgres', url, replicaUrl: null }, async () => undefined)
    variables['TEST_TEMPLATE_DATABASE'] = new URL(url).pathname.slice(1)
  }
  return { variables, drop: () => drop() }
}

async function withMigratedHost(
  database: HostOptions['database'],
  use: (host: Awaited<ReturnType<typeof buildHost>>) => Promise<void>,
): Promise<void> {
  const config = await loadConfig(undefined)
  const plugins = await loadPlugins(config, process.cwd())
  const host = await buildHost({
    config,
    plugins,
    database,
    secret: randomBytes(32),
    dataDir: tmpdir(),
    baseUrl: () => 'http://localhost',
    logger: false,
  })
  try {
    await use(host)
  } finally {
    await host.app.close()
  }
}
