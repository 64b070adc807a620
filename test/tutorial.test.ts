import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tutorialFiles } from './tutorial.ts'

const template = join(import.meta.dirname, '../core/cli/plugin-template')
/** The tutorial omits the migration and the tests, and adds a file. */
const [LEFT_OUT, ADDED] = [/^(migrations|test)\//, 'on-items.ts']

test('the tutorial shows what `tasuki plugin new risk` writes', () => {
  const renamed = (text: string): string => text.replaceAll('Example', 'Risk').replaceAll('example', 'risk')
  const generated = new Map(
    globSync('**/*.ts', { cwd: template })
      .filter(file => !LEFT_OUT.test(file))
      .map(file => [renamed(file), renamed(readFileSync(join(template, file), 'utf8'))]),
  )
  const shown = tutorialFiles()
  assert.ok(shown.delete(ADDED))
  assert.deepEqual([...shown.keys()].toSorted(), [...generated.keys()].toSorted())
  for (const [file, text] of shown) assert.equal(text, generated.get(file), file)
})
