import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatTable } from '../../core/cli/table.ts'

test('a table has columns of equal width; Japanese letters are two columns wide', async () => {
  const rows = [
    { key: 'APP', name: '週次レビュー', features: { a: 1 } },
    { key: 'LONGER', name: 'Weekly', open: 3 },
  ]
  assert.equal(
    await formatTable(rows),
    [
      'key     name          features  open',
      'APP     週次レビュー  {"a":1}   -',
      'LONGER  Weekly        -         3',
    ].join('\n'),
  )
  assert.equal(await formatTable([]), '(none)')
})
