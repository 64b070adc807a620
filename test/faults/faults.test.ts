import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordFigures } from '../trust/figures.ts'
import { scenarios, unfit } from './scenarios.ts'

/** The deadline of a statement of these scenarios, a second of grace, the longest wait for a lock, and room for a slow machine. */
const MOST_SECONDS = 15

const EMBEDDED = ['killed pglite', 'power cut', 'full disk']

for (const [name, run] of Object.entries(scenarios)) {
  const embedded = EMBEDDED.includes(name)
  const skip =
    unfit[name] ||
    (process.env['TEST_ENGINE'] === 'pglite' && !embedded && 'needs PostgreSQL') ||
    (process.env['TEST_ENGINE'] === 'postgres' && embedded && 'needs the embedded database')
  test(`${name}: no write is lost or doubled`, { skip, timeout: 120_000 }, async t => {
    const outcome = await run(1)
    t.diagnostic(JSON.stringify(outcome))
    const { acknowledged, lost, doubled, seconds } = outcome
    recordFigures('durability.faults', {
      [`${name}: acknowledged`]: acknowledged,
      lost,
      doubled,
      'seconds until back': seconds,
    })
    assert.ok(outcome.acknowledged > 0)
    assert.deepEqual([outcome.lost, outcome.doubled], [0, 0])
    assert.ok(outcome.seconds < MOST_SECONDS, `${outcome.seconds} s`)
  })
}
