import Table from 'cli-table3'
import { startPostgres } from '../postgres.ts'
import type { Outcome } from './ledger.ts'
import { scenarios, unfit } from './scenarios.ts'

// `npm run faults [-- <rounds> [<scenario> …]]`: what faults cost, as a table; ends with 1 where a write was lost or doubled.
const [rounds = '10', ...chosen] = process.argv.slice(2)
const postgres = await startPostgres({ durable: true })
process.env['TEST_DATABASE_URL'] = postgres.url
const outcomes: Outcome[] = []
try {
  for (const [name, run] of Object.entries(scenarios))
    if (chosen.length === 0 || chosen.includes(name)) {
      if (unfit[name]) console.log(`${name} is left out: ${unfit[name]}`)
      else outcomes.push(await run(Number(rounds)))
    }
} finally {
  await postgres.stop()
}
const head = ['scenario', 'engine', 'rounds', 'acknowledged', 'lost', 'doubled', 'seconds until back']
const table = new Table({ head, style: { head: [], border: [] } })
for (const { scenario, engine, rounds: done, acknowledged, lost, doubled, seconds } of outcomes)
  table.push([scenario, engine, done, acknowledged, lost, doubled, seconds])
process.stdout.write(`${table.toString()}\n`)
process.exitCode = outcomes.some(({ lost, doubled }) => lost + doubled > 0) ? 1 : 0
