import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordFigures } from '../trust/figures.ts'
import { scenarios, unfit } from './scenarios.ts'
import { driftOf, soak } from './soak.ts'

/** The statement timeout of these scenarios, a second of grace, the longest wait for a lock, and a margin for slow machines. */
const MAX_SECONDS = 15
/** An instance that is killed while it sends the reminders of a minute takes the job along; the job of the next minute sends them. */
const NEXT_MINUTE = 60

const EMBEDDED = ['killed pglite', 'power cut', 'full disk']

for (const [name, run] of Object.entries(scenarios)) {
  const embedded = EMBEDDED.includes(name)
  const skip =
    unfit[name] ||
    (process.env['TEST_ENGINE'] === 'pglite' && !embedded && 'needs PostgreSQL') ||
    (process.env['TEST_ENGINE'] === 'postgres' && embedded && 'needs the embedded database')
  test(`${name}: no write is lost or duplicated`, { skip, timeout: 300_000 }, async t => {
    const outcome = await run(1)
    t.diagnostic(JSON.stringify(outcome))
    const { acknowledged, lost, doubled, seconds } = outcome
    recordFigures('durability.faults', {
      [`${name}: acknowledged`]: acknowledged,
      lost,
      doubled,
      'seconds until back': seconds,
      ...(outcome.readSeconds !== undefined && {
        'until read': outcome.readSeconds,
        'untrue /readyz': outcome.untrue!,
      }),
    })
    assert.ok(outcome.acknowledged > 0)
    assert.deepEqual([outcome.lost, outcome.doubled], [0, 0])
    const most = MAX_SECONDS + (name === 'one of three' ? NEXT_MINUTE : 0)
    assert.ok(outcome.seconds < most, `${outcome.seconds} s`)
    assert.ok((outcome.readSeconds ?? 0) < MAX_SECONDS, `${outcome.readSeconds} s until a read`)
    assert.equal(outcome.untrue ?? 0, 0, 'answers of /readyz that were not true')
  })
}

for (const engine of ['pglite', 'postgres'] as const) {
  const other = process.env['TEST_ENGINE'] === (engine === 'pglite' ? 'postgres' : 'pglite')
  const skip = (other && `needs ${engine}`) || (process.platform !== 'linux' && 'needs Linux, which lists open files')
  test(
    `memory, files and rows do not grow with callers of every kind [${engine}]`,
    { skip, timeout: 300_000 },
    async t => {
      // Measured again if the machine was slow.
      for (let attempt = 1; ; attempt++) {
        const samples = await soak(engine, 8 / 60, 8)
        const drift = driftOf(samples)
        const last = samples.at(-1)!
        t.diagnostic(JSON.stringify(last))
        const { calls, memory, handles, latency } = last
        recordFigures('durability.soak', {
          calls,
          'MB at last': memory,
          'open files': handles,
          'ms of a read': latency,
        })
        if (drift.length > 0 && attempt < 3) continue
        assert.deepEqual(drift, [])
        return
      }
    },
  )
}
