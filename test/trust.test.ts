import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { PAGES } from './trust/pages.ts'
import { renderTrust } from './trust/render.ts'

const ROOT = join(import.meta.dirname, '..')

for (const [name, { file: page, promises }] of Object.entries(PAGES))
  test(`every row of ${page} has tests, and the page lists it`, () => {
    const all = Object.values(promises).flat()
    const pageText = readFileSync(join(ROOT, page), 'utf8')
    const ids = all.map(({ id }) => id)
    assert.deepEqual([...new Set(ids)], ids)
    for (const { text, file, tests } of all) {
      assert.ok(readFileSync(join(ROOT, file), 'utf8').includes(tests), `${file} has no test "${tests}"`)
      assert.ok(pageText.includes(text), `run npm run ${name}: "${text}" is not in ${page}`)
    }
  })

test('a promise is broken when a test of it failed or none ran', () => {
  const promise = (id: string) => ({ id, text: `${id}.`, file: 'test/x.test.ts', tests: `${id} \${n}` })
  const { text, broken } = renderTrust(
    { head: '', column: 'promise', promises: { Subject: ['kept', 'failed', 'absent', 'skipped'].map(promise) } },
    [
      { name: 'kept 1', outcome: 'passed' },
      { name: 'kept 2', outcome: 'skipped' },
      { name: 'failed 1', outcome: 'passed' },
      { name: 'failed 2', outcome: 'failed' },
      { name: 'skipped 1', outcome: 'skipped' },
    ],
    [{ promise: 'kept', figures: { rounds: 1200, lost: 0 } }],
  )
  assert.deepEqual(
    broken.map(({ id }) => id),
    ['failed', 'absent', 'skipped'],
  )
  assert.match(text, /\| kept\. \| \[x\.test\.ts\]\(x\.test\.ts\) \| 1 of 2 \| rounds 1,200, lost 0 \|/)
})
