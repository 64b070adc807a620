import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { REQUIREMENTS } from './requirements.ts'
import type { Since } from './requirements/define.ts'

/** The latest delivery of the specification that the project claims to fulfil. */
const DELIVERED: Since = 4

const cited = citations()

test('requirement ids are unique', () => {
  const ids = REQUIREMENTS.map(({ id }) => id)
  assert.deepEqual(
    ids.filter((id, index) => ids.indexOf(id) !== index),
    [],
  )
})

test('every requirement of what is delivered is cited by a test', () => {
  const missing = REQUIREMENTS.filter(({ id, since }) => since <= DELIVERED && !cited.has(id))
  const lines = missing.map(({ id, source, text }) => `${id}: ${text} (${source})`)
  assert.equal(lines.length, 0, `${lines.length} requirements without a test:\n${lines.join('\n')}`)
})

test('every cited id is a requirement', () => {
  const known = new Set<string>(REQUIREMENTS.map(({ id }) => id))
  const unknown = [...cited].filter(([id]) => !known.has(id)).map(([id, file]) => `${id} in ${file}`)
  assert.deepEqual(unknown, [])
})

/** Collects the ids that all test files pass to `verifies`, each with the first file that cites it. */
function citations(): Map<string, string> {
  const found = new Map<string, string>()
  const files = globSync('**/*.test.ts', { cwd: import.meta.dirname, exclude: name => name === 'node_modules' })
  for (const file of files.toSorted()) {
    const source = readFileSync(join(import.meta.dirname, file), 'utf8')
    for (const [, ids = ''] of source.matchAll(/\bverifies\(\s*('[^']*'|\[[^\]]*\])/g)) {
      for (const [, id = ''] of ids.matchAll(/'([^']*)'/g)) if (!found.has(id)) found.set(id, file)
    }
  }
  return found
}
