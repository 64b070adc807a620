import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { groupsOf, LONGEST, writeGroups } from './groups.ts'

const names = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, n) => `test/${String(from + n).padStart(3, '0')}.test.ts`)

test('each file is in one group, and neighbouring files share a group', () => {
  assert.deepEqual(groupsOf(names(0, 34), 2), [names(0, 16), names(16, 32), names(32, 34)])
})

test('a few files keep every process busy', () => {
  assert.deepEqual(groupsOf(names(0, 3), 2), [names(0, 2), names(2, 3)])
  assert.deepEqual(groupsOf(names(0, 1), 2), [names(0, 1)])
})

test('the longest files exist and come first, each in its own group', () => {
  const [first, second] = LONGEST as [string, string]
  assert.deepEqual(groupsOf([second, ...names(0, 2), first], 2), [[first], [second], names(0, 1), names(1, 2)])
  assert.deepEqual(
    LONGEST.filter(file => !existsSync(file)),
    [],
  )
  assert.deepEqual(groupsOf([first], 2), [[first]])
})

test('groups start in the order of their names', t => {
  const folder = mkdtempSync(join(tmpdir(), 'tasuki-groups-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const paths = writeGroups(
    folder,
    names(0, 120).map(name => [name]),
  )
  assert.equal(paths.length, 120)
  assert.deepEqual(paths, paths.toSorted())
})
