import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'
import { testHost } from 'tasuki/testing'
import { countStatements, type Counted } from './bench/statements.ts'
import { forEachEngine } from './engines.ts'
import { verifies } from './verifies.ts'

const file = join(import.meta.dirname, 'statements.json')

/** Writes without a history entry: they queue a job that adds one if it changes something. */
const ASKS_A_JOB = ['items_summarize']

forEachEngine('every tool', engine => {
  let counted: readonly Counted[]
  const measure = async (rows: number): Promise<Record<string, number>> => {
    const host = await testHost({ after }, { engine, config: { plugins: { project_admin: {} } } })
    counted = await countStatements(host, rows)
    assert.deepEqual(
      counted.filter(({ refused }) => refused !== ''),
      [],
    )
    await host.close()
    return Object.fromEntries(
      counted.map(({ tool, statements }) => [tool, statements] as const).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    )
  }

  verifies(
    'tools.statements',
    'sends the number of statements in the snapshot, however many items and related records there are',
    async () => {
      const few = await measure(5)
      assert.deepEqual(await measure(23), few)
      if (process.env['UPDATE_SNAPSHOTS'] === '1') return writeFileSync(file, `${JSON.stringify(few, null, 2)}\n`)
      const hint = 'if that is meant: UPDATE_SNAPSHOTS=1 npm test -- test/statements.test.ts'
      assert.deepEqual(few, JSON.parse(readFileSync(file, 'utf8')), hint)
    },
  )

  verifies('activities.every_write', 'that writes adds a history entry in its transaction', () => {
    const silent = counted.filter(({ recorded, class: kind }) => !recorded && kind !== 'R').map(({ tool }) => tool)
    assert.deepEqual(silent, ASKS_A_JOB)
    const reading = counted.filter(({ recorded, class: kind }) => recorded && kind === 'R')
    assert.deepEqual(reading, [])
  })
})
