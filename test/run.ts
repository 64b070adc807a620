import { spawn } from 'node:child_process'
import { globSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { prepareTemplates, type Engine } from '../core/testing/index.ts'
import { groupsOf, writeGroups } from './groups.ts'
import { SHORT_LIVED } from './processes.ts'
import { folderInMemory } from './memory.ts'
import { PACKED } from './packed.ts'
import { slowest, TIMES } from './slowest.ts'
import { readSmallCluster } from './small-cluster.ts'
import { NoPostgres, startPostgres, type TestPostgres } from './postgres.ts'

/** Number of parallel test processes: one more than two processors, because each process often waits for databases and pages. */
const PROCESSES = 3

// The test command: `npm test [-- files, folders, --slowest and options of node --test]`.
const root = join(import.meta.dirname, '..')
const args = process.argv.slice(2)
const showSlowest = args.includes('--slowest')
const options = args.filter(arg => arg.startsWith('-') && arg !== '--slowest')
const paths = args.filter(arg => !arg.startsWith('-'))

const engine = process.env['TEST_ENGINE'] ?? 'both'
if (!['pglite', 'postgres', 'both'].includes(engine)) fail(`TEST_ENGINE is "${engine}"; use pglite, postgres or both`)
const files = testFiles(paths.length > 0 ? paths : [join(root, 'test')])
if (files.length === 0) fail(`no test files (*.test.ts) in ${paths.join(', ')}`)

// Kept between runs, unlike everything else in the temporary folder.
process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'node-compile-cache')
process.env['TMPDIR'] ??= folderInMemory() ?? tmpdir()
const postgres = engine === 'pglite' ? null : await database()
const folder = mkdtempSync(join(tmpdir(), 'tasuki-test-'))
try {
  if (postgres) process.env['TEST_DATABASE_URL'] = postgres.url
  const engines: readonly Engine[] = engine === 'both' ? ['pglite', 'postgres'] : [engine as Engine]
  const cluster = engine === 'postgres' ? undefined : await readSmallCluster(join(root, 'node_modules/.cache/tasuki'))
  const templates = await prepareTemplates(engines, folder, cluster)
  const times = join(folder, 'times')
  process.exitCode = await runTests({ ...templates.variables, ...(showSlowest && { [TIMES]: times }) })
  if (showSlowest) console.log(slowest(times))
  await templates.drop()
} finally {
  await postgres?.stop()
  rmSync(folder, { recursive: true, force: true })
}

function testFiles(from: readonly string[]): string[] {
  const all = from.flatMap(path =>
    statSync(path, { throwIfNoEntry: false })?.isDirectory()
      ? globSync('**/*.test.ts', { cwd: path, exclude: name => name === 'node_modules' || name === 'fixtures' }).map(
          file => join(path, file),
        )
      : globSync(path),
  )
  return [...new Set(all.map(file => relative(process.cwd(), file).split(sep).join('/')))].toSorted()
}

async function database(): Promise<TestPostgres> {
  try {
    return await startPostgres()
  } catch (error) {
    if (!(error instanceof NoPostgres)) throw error
    return fail(
      `NO POSTGRESQL: ${error.message}\n` +
        'Every test runs on both engines. Install PostgreSQL 15 or later, or set TEST_DATABASE_URL to a server\n' +
        'where databases may be created, or test the embedded engine only with TEST_ENGINE=pglite.',
    )
  }
}

async function runTests(variables: Record<string, string>): Promise<number> {
  const flags = [
    '--conditions=tasuki-source',
    ...SHORT_LIVED,
    '--test',
    `--test-concurrency=${PROCESSES}`,
    '--test-timeout=300000',
  ]
  const env = {
    ...process.env,
    TEST_ENGINE: engine,
    [PACKED]: join(folder, 'packed'),
    ...variables,
  }
  const child = spawn(process.execPath, [...flags, ...options, ...entries()], { stdio: 'inherit', env })
  // Ctrl+C also reaches the child; wait for its summary.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  return new Promise(resolve => child.once('exit', code => resolve(code ?? 1)))
}

/** Files for node: groups, or the test files themselves in watch mode, which restarts only changed files. */
function entries(): readonly string[] {
  if (files.length === 1 || options.some(option => option.startsWith('--watch'))) return files
  return writeGroups(folder, groupsOf(files, PROCESSES))
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
