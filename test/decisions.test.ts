import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const folder = join(import.meta.dirname, '../core/decisions')
const numbered = (name: string): boolean => /^\d{4}-/.test(name)

test('the list of decisions contains each page once, by number', () => {
  const pages = readdirSync(folder).filter(numbered).toSorted()
  const rows = readFileSync(join(folder, 'README.md'), 'utf8').matchAll(/^\| \[(\d{4})\]\(([^)]+)\)/gm)
  assert.deepEqual(
    [...rows].map(([, number, page]) => [number, page]),
    pages.map(page => [page.slice(0, 4), page]),
  )
  const numbers = pages.map(page => page.slice(0, 4))
  assert.equal(new Set(numbers).size, numbers.length)
})
