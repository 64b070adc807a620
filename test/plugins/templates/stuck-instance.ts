import { definePlugin } from 'tasuki/plugin'
import { testHost } from 'tasuki/testing'
import { generateDue } from '../../../plugins/templates/index.ts'
import { templateGenerated } from '../../../plugins/templates/points.ts'

// An instance on the database of DATABASE_URL that hangs between creating tasks and the commit; tests kill it.
const stuck = templateGenerated(() => {
  process.stdout.write('stuck\n')
  return new Promise(() => setInterval(() => undefined, 1000))
})

const host = await testHost(
  { after: () => undefined },
  {
    engine: 'postgres',
    database: { engine: 'postgres', url: process.env['DATABASE_URL']!, replicaUrl: null },
    config: { plugins: { templates: {} } },
    plugins: [
      definePlugin({
        name: 'stuck',
        version: '0.1.0',
        api: 1,
        group: 'test',
        dependsOn: ['templates'],
        contributes: [stuck],
      }),
    ],
    now: () => new Date(process.env['NOW']!),
  },
)
await host.write(generateDue)
