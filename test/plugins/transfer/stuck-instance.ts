import { readFile } from 'node:fs/promises'
import { definePlugin, Type } from 'tasuki/plugin'
import { testHost } from 'tasuki/testing'
import { importParts } from '../../../plugins/transfer/points.ts'
import { beginImport, SECRET } from './stuck.ts'

// An instance that hangs in the second batch of an import; tests kill it. It prints the address of the import first.
let sets = 0
const stuck = importParts({
  of: 'labels',
  schema: Type.Any(),
  async write() {
    if (++sets < 2) return
    process.stdout.write(`${address}\n`)
    await new Promise(() => setInterval(() => undefined, 1000))
  },
})
const { DATABASE_URL: url, DATABASE_FOLDER: dataDir = '', TEST_TEMPLATE_SNAPSHOT: template } = process.env
const host = await testHost(
  { after: () => undefined },
  {
    database: url
      ? { engine: 'postgres', url, replicaUrl: null }
      : { engine: 'pglite', dataDir, ...(template && { snapshot: await readFile(template) }) },
    secret: SECRET,
    // Whose part of imports the plugin takes.
    config: { plugins: { labels: false } },
    plugins: [
      definePlugin({
        name: 'stuck',
        version: '0.1.0',
        api: 1,
        group: 'test',
        dependsOn: ['transfer'],
        contributes: [stuck],
      }),
    ],
  },
)
const address = await beginImport(host)
await host.queue.start(host.runner)
