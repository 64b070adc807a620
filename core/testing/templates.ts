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
 * @param cluster dump of an empty embedded cluster that is smaller than the usual one
 * @returns environment variables for the test processes, and a function that drops the databases
 */
export async function prepareTemplates(
  engines: readonly Engine[],
  folder: string,
  cluster?: Uint8Array,
): Promise<{ variables: Record<string, string>; drop(): Promise<void> }> {
  const variables: Record<string, string> = {}
  let drop = (): Promise<void> => Promise.resolve()
  if (engines.includes('pglite')) {
    const file = join(folder, 'template.tar')
    const database = { engine: 'pglite', dataDir: null, ...(cluster && { snapshot: cluster }) } as const
    await withMigratedHost(database, async host => writeFile(file, await host.database.embedded!.dump()))
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
