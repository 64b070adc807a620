import { parseArgs } from 'node:util'
import Table from 'cli-table3'
import { startPostgres } from '../postgres.ts'
import { runAllWriters } from '../races/storm.ts'
import type { Outcome } from './ledger.ts'
import { scenarios, unfit } from './scenarios.ts'
import { driftOf, soak } from './soak.ts'

// `npm run faults [-- <rounds> [<scenario> …]]`: prints the cost of faults as a table, then runs races and a soak test of one minute. Exits
// with 1 if a write was lost or duplicated, a race ended in an internal error, or memory or files grew under constant load. `npm run faults
// -- --minutes <n> [pglite|postgres]`: runs only the soak test.
const { values, positionals } = parseArgs({ allowPositionals: true, options: { minutes: { type: 'string' } } })
const postgres = await startPostgres({ durable: true })
process.env['TEST_DATABASE_URL'] = postgres.url
if (values.minutes !== undefined) {
  try {
    for (const engine of ['pglite', 'postgres'] as const)
      if (positionals.length === 0 || positionals.includes(engine)) await tellSoak(engine, Number(values.minutes))
  } finally {
    await postgres.stop()
  }
  process.exit()
}
const [rounds = '10', ...chosen] = positionals
const outcomes: Outcome[] = []
try {
  for (const [name, run] of Object.entries(scenarios))
    if (chosen.length === 0 || chosen.includes(name)) {
      if (unfit[name]) console.log(`${name} is left out: ${unfit[name]}`)
      else outcomes.push(await run(Number(rounds)))
    }
  for (const engine of chosen.length === 0 ? (['pglite', 'postgres'] as const) : []) {
    await tellRaces(engine, Number(rounds))
    await tellSoak(engine, 1)
  }
} finally {
  await postgres.stop()
}
const head = [
  'scenario',
  'engine',
  'rounds',
  'acknowledged',
  'lost',
  'doubled',
  'seconds until back',
  '… until read',
  'untrue /readyz',
]
const table = new Table({ head, style: { head: [], border: [] } })
for (const { scenario, engine, rounds: done, acknowledged, lost, doubled, seconds, readSeconds, untrue } of outcomes)
  table.push([scenario, engine, done, acknowledged, lost, doubled, seconds, readSeconds ?? '', untrue ?? ''])
process.stdout.write(`${table.toString()}\n`)
if (outcomes.some(({ lost, doubled, untrue }) => lost + doubled + (untrue ?? 0) > 0)) process.exitCode = 1

async function tellRaces(engine: 'pglite' | 'postgres', accounts: number): Promise<void> {
  const { calls, writers, pairs, deadlocks, failures } = await runAllWriters(engine, { rounds: accounts, seed: 7 })
  process.stdout.write(
    `races ${engine}: ${calls} calls of ${writers} writers, ${pairs} pairs at once, ${deadlocks} deadlocks, ${failures.length} failures\n`,
  )
  for (const failure of failures) process.stdout.write(`  ${failure}\n`)
  if (failures.length > 0) process.exitCode = 1
}

async function tellSoak(engine: 'pglite' | 'postgres', minutes: number): Promise<void> {
  const samples = await soak(engine, minutes)
  const tables = Object.keys(samples[0]!.rows)
  const head = [
    's',
    'calls',
    'MB',
    'handles',
    'requests',
    'credentials',
    'p95 ms',
    ...tables.map(name => name.split('.')[1]!),
  ]
  const table = new Table({ head, style: { head: [], border: [] } })
  for (const { at, calls, memory, handles, open, credentials, latency, rows } of samples)
    table.push([at, calls, memory, handles, open, credentials, latency, ...tables.map(name => rows[name]!)])
  const drift = driftOf(samples)
  process.stdout.write(
    `soak ${engine}, ${minutes} min\n${table.toString()}\n${drift.map(line => `grew: ${line}\n`).join('')}`,
  )
  if (drift.length > 0) process.exitCode = 1
}
