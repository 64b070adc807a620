import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { startHost, type TestHost } from '../../core/testing/index.ts'
import { startPostgres } from '../postgres.ts'
import { measureBuilder } from './builder.ts'
import { measureCallers } from './callers.ts'
import { fill, KEYS, TASKS } from './data.ts'
import { plugin } from './echo.ts'
import { measureLag } from './lag.ts'
import { LIBRARIES } from './libraries/index.ts'
import { measureMemory } from './memory.ts'
import { met, table, type Figure } from './report.ts'
import { setUp } from './requests.ts'
import { measure } from './rounds.ts'
import { measureStart } from './startup.ts'
import { countStatements, statementTable, type Counted } from './statements.ts'

// The command `npm run bench`: ratios of what the service needs to what a bare route needs for the same work, measured in one run.
const { values } = parseArgs({
  options: {
    /** Parts to run, separated by commas: any part of a benchmark's name, `statements`, or one of those that run alone. */
    only: { type: 'string' },
    /** Folder of another checkout with its packages, that `memory` measures in turn with this one. */
    against: { type: 'string' },
    json: { type: 'string' },
    rounds: { type: 'string', default: '15' },
    seconds: { type: 'string', default: '0.4' },
  },
})
const pace = { rounds: Number(values.rounds), seconds: Number(values.seconds), warmUp: 4 }
const wanted = values.only?.split(',').map(word => word.trim())
const wants = (name: string): boolean => wanted === undefined || wanted.some(word => name.includes(word))
const POOL_SIZE = 10
const folder = mkdtempSync(join(tmpdir(), 'tasuki-bench-'))
/** Parts that need no data. */
const ALONE: Readonly<Record<string, () => Promise<Figure[]>>> = {
  start: () => measureStart(folder),
  callers: () => measureCallers(pace),
  memory: () => measureMemory(folder, values.against),
  lag: measureLag,
  builder: async () => measureBuilder(),
}
const figures: Figure[] = []
let counted: readonly Counted[] = []
try {
  if (wanted === undefined || !wanted.every(part => part in ALONE || part in LIBRARIES)) await onPostgres()
  for (const [part, run] of Object.entries(ALONE)) if (wants(part)) figures.push(...(await run()))
  // Those of decision 38 run when they are asked for: they compare with what the service does not use.
  for (const [part, run] of Object.entries(LIBRARIES)) if (wanted?.includes(part)) figures.push(...(await run()))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
if (figures.length > 0) {
  const missed = figures.filter(figure => met(figure) === false)
  console.log(`\n${table(figures)}\n\n${crowding()}`)
  console.log(missed.length === 0 ? 'All targets met.' : `Missed: ${missed.map(figure => figure.name).join('; ')}.`)
}
if (values.json !== undefined)
  writeFileSync(
    values.json,
    `${JSON.stringify({ environment: environment(), figures, statements: counted }, null, 2)}\n`,
  )

async function onPostgres(): Promise<void> {
  const postgres = await startPostgres()
  try {
    const url = await newDatabase(postgres.url)
    const { host, token, close } = await startHost({
      database: { engine: 'postgres', url, replicaUrl: null },
      plugins: [plugin],
    })
    try {
      for (const key of KEYS) await host.command('project create', { key, name: key })
      await fill(url, host.userId)
      await index(host)
      if (wants('statements')) {
        counted = await countStatements(host)
        console.log(`${statementTable(counted)}\n`)
      }
    } finally {
      await close()
    }
    const configFile = join(folder, 'config.json')
    writeFileSync(
      configFile,
      JSON.stringify({ plugins: { [join(import.meta.dirname, 'echo.ts')]: {} }, pool_size: POOL_SIZE }),
    )
    const stand = await setUp({ url, ownerId: host.userId, token, configFile, poolSize: POOL_SIZE })
    try {
      for (const difference of stand.differences) console.log(`NOT THE SAME WORK: ${difference}`)
      for (const pair of stand.pairs.filter(each => wants(each.name))) {
        const measured = await measure(pair, pace)
        console.log(table(measured))
        figures.push(...measured)
      }
    } finally {
      await stand.stop()
    }
  } finally {
    await postgres.stop()
  }
}

/** Makes the service index directly written data now, because indexing would otherwise continue during the measurement. */
async function index(host: TestHost): Promise<void> {
  await host.queue.start(host.runner)
  for (const deadline = Date.now() + 180_000; ; await sleep(250)) {
    const [{ missing }] = (await host.sql<{ missing: number }>`
      select count(*)::int as missing from items.items i
      where not exists (select from search.documents d where d.owner_id = i.owner_id and d.item_id = i.id)`) as [
      { missing: number },
    ]
    if (missing === 0) return
    if (Date.now() > deadline) throw new Error(`${missing} items were not indexed in time`)
  }
}

async function newDatabase(server: string): Promise<string> {
  const name = `tasuki_bench_${randomBytes(6).toString('hex')}`
  const client = new Client({ connectionString: server })
  await client.connect()
  await client.query(`create database ${name} template template0 encoding 'UTF8'`)
  await client.end()
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

function environment(): object {
  return {
    node: process.version,
    cpus: availableParallelism(),
    load: loadavg()[0],
    at: new Date().toISOString(),
    tasks: TASKS,
    pace,
  }
}

/** On a busy machine the two sides differ by chance, so the load of the machine is part of the result. */
function crowding(): string {
  const cpus = availableParallelism()
  const load = loadavg()[0]!
  const note = load > 2 * cpus ? ': too busy for these figures to be trusted, look at min and max' : ''
  return `Load ${load.toFixed(1)} on ${cpus} processors, the benchmark's own share included${note}.`
}
