import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { recordFigures } from '../trust/figures.ts'
import { LEAKS } from './leaks.ts'

/** `npm run isolation -- prove` reintroduces all leaks; a normal run reintroduces one. */
const WHOLE = process.env['ISOLATION'] === 'prove'
const USUAL = 'second records'

// A normal run reintroduces one leak only. Without this test the others go unnoticed when the code that they change is rewritten.
test('the source has every check that a leak removes, once', () => {
  for (const [name, { file, net }] of Object.entries(LEAKS)) {
    const text = readFileSync(join(import.meta.dirname, '../..', file), 'utf8')
    assert.equal(text.split(net).length - 1, 1, `${name}: ${file} no longer contains this check: ${net}`)
  }
})

for (const [name, { foundBy }] of Object.entries(LEAKS)) {
  const skip =
    (!WHOLE && name !== USUAL && 'npm run isolation -- prove runs it') ||
    (process.env['TEST_ENGINE'] === 'postgres' && 'needs the embedded database')
  test(`the matrix finds a reintroduced leak: ${name}`, { skip, timeout: 600_000 }, t => {
    // The expected failures must not count as figures of the service.
    const { NODE_TEST_CONTEXT: _, TRUST_FIGURES: _figures, ...env } = process.env
    const { stdout, status } = spawnSync(
      process.execPath,
      [
        '--conditions=tasuki-source',
        `--import=${join(import.meta.dirname, 'leaks.ts')}`,
        '--test-reporter=tap',
        ...(WHOLE ? [] : [`--test-name-pattern=${foundBy.source}`]),
        join(import.meta.dirname, 'matrix.test.ts'),
      ],
      { env: { ...env, TEST_ENGINE: 'pglite', ISOLATION_LEAK: name, ISOLATION: '0.02' }, encoding: 'utf8' },
    )
    const failed = stdout.split('\n').filter(line => /^\s*not ok/.test(line) && foundBy.test(line))
    assert.ok(status !== 0 && failed.length > 0, stdout.slice(-4000))
    const found = [...stdout.matchAll(/# \d+ cells, (\d+) failures/g)].reduce((sum, match) => sum + Number(match[1]), 0)
    t.diagnostic(`${name}: ${found} cells show it`)
    recordFigures('isolation.proof', { leaks: 1, 'cells that show them': found })
    assert.ok(found > 0)
  })
}
