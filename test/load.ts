import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestDatabase } from '../core/testing/database.ts'
import { checkIssues, DATA_FOLDER, loadIssues, readIssues, type CallTool, type IssueFile } from './issues.ts'
import { OFFICIAL_CLIENTS } from './official-clients.ts'
import { startPostgres } from './postgres.ts'
import { serve, shownToken, succeed, TASUKI, TASUKI_ITSELF } from './processes.ts'

// Writes all real issues into a new service and reads them back: `npm run load [-- parallel calls, default 4]`.
const FILES: readonly (readonly [IssueFile, string])[] = [
  ['mesos', 'MESOS'],
  ['jirasoftware', 'JSW'],
]
/** Turns rate limits off: people import more slowly. */
const UNLIMITED = join(import.meta.dirname, 'bench/unlimited.json')
const parallel = Number(process.argv[2] ?? 4)
const wanted = process.env['TEST_ENGINE'] ?? 'both'

if (DATA_FOLDER === null) {
  console.error('TEST_DATA_DIR is not set: it names the folder with issues/mesos.csv and issues/jirasoftware.csv')
  process.exitCode = 1
} else {
  if (wanted !== 'postgres') await loadInto('embedded', {})
  if (wanted !== 'pglite') await withPostgres(url => loadInto('PostgreSQL', { DATABASE_URL: url }))
}

async function withPostgres(use: (url: string) => Promise<void>): Promise<void> {
  const server = await startPostgres()
  try {
    process.env['TEST_DATABASE_URL'] = server.url
    const database = await createTestDatabase()
    await use(database.url)
    await database.drop()
  } finally {
    await server.stop()
  }
}

async function loadInto(engine: string, variables: Record<string, string>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tasuki-load-'))
  const where = {
    cwd: folder,
    env: { DATA_DIR: join(folder, 'data'), CONFIG: UNLIMITED, LOG_LEVEL: 'info', ...variables },
  }
  const server = await serve(TASUKI_ITSELF, where)
  try {
    const client = await OFFICIAL_CLIENTS['client 2.x, 2026-07-28']({
      url: `${server.origin}/mcp`,
      token: shownToken(server),
    })
    for (const [file, project] of FILES) {
      await succeed(TASUKI, ['project', 'create', project, file], where)
      const issues = readIssues(file)
      const calls = countCalls(client.call)
      const loaded = await measureSeconds(() => loadIssues(calls.call, project, issues, parallel))
      report(engine, file, `${issues.length} items created, ${parallel} at a time`, loaded, issues.length, 'items/s')
      const before = calls.count()
      const checked = await measureSeconds(() => checkIssues(calls.call, project, issues))
      const made = calls.count() - before
      report(engine, file, `listed, filtered, counted, all keys found: ${made} calls`, checked, made, 'calls/s')
    }
    await client.close()
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

function countCalls(call: CallTool): { call: CallTool; count(): number } {
  let calls = 0
  return {
    call: (name, args) => {
      calls++
      return call(name, args)
    },
    count: () => calls,
  }
}

/** @returns seconds */
async function measureSeconds(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}

function report(engine: string, file: string, what: string, seconds: number, done: number, unit: string): void {
  console.log(`${engine}  ${file}  ${what}: ${seconds.toFixed(1)} s, ${Math.round(done / seconds)} ${unit}`)
}
