import { join } from 'node:path'
import { startHost } from '../../core/testing/index.ts'
import { DATA_FOLDER } from '../issues.ts'
import { startPostgres } from '../postgres.ts'
import type { Figure } from './report.ts'

const FILES = ['jirasoftware', 'mesos', 'moodle'] as const
/** Items per second that an import must reach. */
const MIN = { postgres: 1000, pglite: 300 } as const

/** Measures the items per second that the command imports from the real issues of TEST_DATA_DIR, on both databases. */
export async function measureImport(): Promise<Figure[]> {
  if (DATA_FOLDER === null) throw new Error('the part import needs TEST_DATA_DIR')
  const postgres = await startPostgres()
  // Test hosts use this server.
  process.env['TEST_DATABASE_URL'] = postgres.url
  try {
    const figures: Figure[] = []
    for (const engine of ['postgres', 'pglite'] as const) {
      const { host, close } = await startHost({ engine })
      try {
        const rates: number[] = []
        // CPU time does not depend on other load: of all work for the embedded database, of the service alone for PostgreSQL.
        const busy: number[] = []
        let items = 0
        for (const file of FILES) {
          const key = file.slice(0, 6).toUpperCase()
          await host.command('project create', { key, name: file })
          const [began, used] = [performance.now(), process.cpuUsage()]
          const made = await importWhole(host, join(DATA_FOLDER, 'issues', `${file}.csv`), key)
          items += made
          rates.push((made * 1000) / (performance.now() - began))
          const { user, system } = process.cpuUsage(used)
          busy.push((made * 1e6) / (user + system))
        }
        figures.push({
          name: `the same, a second of the processor of the process, ${engine}`,
          unit: 'items/s',
          ours: Math.min(...busy),
          theirs: null,
          ratio: null,
          target: null,
        })
        figures.push({
          name: `import of ${items} real issues, ${engine}, the slowest of ${FILES.length} files`,
          unit: 'items/s',
          ours: Math.min(...rates),
          theirs: null,
          ratio: null,
          target: { atLeast: MIN[engine] },
        })
      } finally {
        await close()
      }
    }
    return figures
  } finally {
    await postgres.stop()
  }
}

type Host = Awaited<ReturnType<typeof startHost>>['host']

/** Imports a file in as many transactions as the command needs. @returns the number of imported items */
async function importWhole(host: Host, file: string, project: string): Promise<number> {
  for (let args: object = { file, project, yes: true }; ;) {
    const { next, text } = await host.command('import file', args)
    if (!next) return Number(/Imported (\d+) items/.exec(text!)![1])
    args = next.args
  }
}
