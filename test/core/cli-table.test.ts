import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { formatError } from '../../core/cli/format-error.ts'
import { print } from '../../core/cli/output.ts'
import { runCall } from '../../core/cli/run-call.ts'
import { formatTable } from '../../core/cli/table.ts'
import type { CommandResult } from '../../core/plugin/command.ts'
import { ToolError } from '../../core/plugin/errors.ts'

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

test('a name does not control the terminal, or look like another row', async () => {
  const rows = [{ name: '\u001b]0;title\u0007\u001b[31mEve\u009b2J\u202e\r\nroot', admin: false, more: ['\u009b1m'] }]
  assert.equal(
    await formatTable(rows),
    ['name                          admin  more', ' ]0;title  [31mEve 2J   root  false  [" 1m"]'].join('\n'),
  )
})

test('what a command writes is exact for programs, and does not control a terminal', () => {
  const text = '{"title":"\u001b]0;x\u0007Eve\u009b2J"}\n\tdone\n'
  for (const isTTY of [true, false]) {
    const write = mock.fn((_text: string) => true)
    print({ isTTY, write }, text)
    assert.equal(write.mock.calls[0]!.arguments[0], isTTY ? '{"title":" ]0;x Eve 2J"}\n\tdone\n' : text)
  }
})

test('names in an error do not control the terminal', () => {
  const refusal = new ToolError('not_found', 'APP has no state "x".', { allowed: ['Done', '\u001b]0;x\u0007Old'] })
  assert.equal(formatError(refusal), 'APP has no state "x". Allowed: Done,  ]0;x Old.')
})

test('an outage without a deeper cause is named once', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:9000'), { code: 'ECONNREFUSED' })
  assert.equal(formatError(refused), 'connect ECONNREFUSED 127.0.0.1:9000')
  assert.equal(
    formatError(new Error('the bucket', { cause: refused })),
    'the bucket: connect ECONNREFUSED 127.0.0.1:9000',
  )
})

test('a result is printed once, and as JSON without losing its text', async () => {
  const print = async (result: CommandResult, json = false): Promise<string> => {
    const written: string[] = []
    const write = mock.method(process.stdout, 'write', (text: string) => written.push(text) > 0)
    await runCall({ name: 'x', args: {}, json }, () => Promise.resolve(result))
    write.mock.restore()
    return written.join('')
  }
  assert.equal(await print({ rows: [] }), '(none)\n')
  assert.equal(await print({ text: 'Done.', rows: [] }), 'Done.\n')
  assert.equal(await print({ rows: [{ a: 1 }] }, true), '[{"a":1}]\n')
  assert.equal(await print({ text: 'Done.', rows: [{ a: 1 }] }, true), '{"text":"Done.","rows":[{"a":1}]}\n')
  assert.equal(await print({ text: 'It is 7.', data: { value: 7 } }, true), '{"value":7}\n')
})
