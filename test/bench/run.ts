import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgres } from '../postgres.ts'
import { measureArchive } from './archive.ts'
import { measureBound } from './bound.ts'
import { measureBuilder } from './builder.ts'
import { measureCallers } from './callers.ts'
import { measureCheckouts } from './checkouts.ts'
import { TASKS } from './data.ts'
import { deploy } from './deployment.ts'
import { measureImport } from './import.ts'
import { measureLag } from './lag.ts'
import { LIBRARIES } from './libraries/index.ts'
import { measureMemory } from './memory.ts'
import { reachesTarget, table, type Figure } from './report.ts'
import { setUp } from './requests.ts'
import { measure } from './rounds.ts'
import unlimited from './unlimited.json' with { type: 'json' }
import { measureStart } from './startup.ts'
import { countStatements, statementTable, type Counted } from './statements.ts'

// The command `npm run bench`: compares the service with a baseline that does the same work, in one run.
const { values } = parseArgs({
  options: {
    /** Parts to run, separated by commas: a part of a benchmark's name, `statements`, or a part that runs alone. */
    only: { type: 'string' },
    /** Folder of another checkout with installed packages; `memory` and `checkouts` measure it alternately with this one. */
    against: { type: 'string' },
    json: { type: 'string' },
    rounds: { type: 'string', default: '15' },
    seconds: { type: 'string', default: '0.4' },
  },
})
const pace = { rounds: Number(values.rounds), seconds: Number(values.seconds), warmUp: 4 }
const wanted = values.only?.split(',').map(word => word.trim())
const isWanted = (name: string): boolean => wanted === undefined || wanted.some(word => name.includes(word))
const POOL_SIZE = 10
const folder = mkdtempSync(join(tmpdir(), 'tasuki-bench-'))
/** Parts that need no data. */
const ALONE: Readonly<Record<string, () => Promise<Figure[]>>> = {
  start: () => measureStart(folder),
  callers: () => measureCallers(pace),
  bound: () => measureBound(folder),
  memory: () => measureMemory(folder, values.against),
  lag: measureLag,
  import: measureImport,
  archive: () => measureArchive(folder),
  checkouts: async () => (values.against === undefined ? [] : measureCheckouts(folder, values.against, pace.rounds)),
  builder: async () => measureBuilder(),
}
const figures: Figure[] = []
let counted: readonly Counted[] = []
try {
  if (wanted === undefined || !wanted.every(part => part in ALONE || part in LIBRARIES)) await onPostgres()
  for (const [part, run] of Object.entries(ALONE)) if (isWanted(part)) figures.push(...(await run()))
  // The parts of decision 38 run only when requested: they compare with libraries that the service does not use.
  for (const [part, run] of Object.entries(LIBRARIES)) if (wanted?.includes(part)) figures.push(...(await run()))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
if (figures.length > 0) {
  const missed = figures.filter(figure => reachesTarget(figure) === false)
  console.log(`\n${table(figures)}\n\n${describeLoad()}`)
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
    const deployment = await deploy(postgres.url, async host => {
      if (!isWanted('statements')) return
      counted = await countStatements(host)
      console.log(`${statementTable(counted)}\n`)
    })
    const configFile = join(folder, 'config.json')
    writeFileSync(
      configFile,
      JSON.stringify({
        plugins: { [join(import.meta.dirname, 'echo.ts')]: {} },
        pool_size: POOL_SIZE,
        limits: unlimited.limits,
      }),
    )
    const stand = await setUp({ ...deployment, configFile, poolSize: POOL_SIZE })
    try {
      for (const difference of stand.differences) console.log(`NOT THE SAME WORK: ${difference}`)
      for (const pair of stand.pairs.filter(each => isWanted(each.name))) {
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

/** On a busy machine the two sides differ by chance, so the report includes the load of the machine. */
function describeLoad(): string {
  const cpus = availableParallelism()
  const load = loadavg()[0]!
  const note = load > 2 * cpus ? ': too busy for these figures to be trusted, look at min and max' : ''
  return `Load ${load.toFixed(1)} on ${cpus} processors, the benchmark's own share included${note}.`
}
