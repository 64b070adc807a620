import assert from 'node:assert/strict'
import { asyncProperty, assert as check, constantFrom, dictionary, jsonValue, pre } from 'fast-check'
import { after, before, describe, test } from 'node:test'
import { ERROR_CODES } from '../../../core/plugin/index.ts'
import { call, errorOf, legacyHeaders, rpc, send, startDemo, toolResult, type Demo, type ErrorShape } from './stub.ts'

let demo: Demo
before(async () => {
  demo = await startDemo()
})
after(() => demo.app.close())

async function refusal(name: string, args: Readonly<Record<string, unknown>>, meta?: object): Promise<ErrorShape> {
  const result = await call(demo.app, name, args, meta ? { meta: meta as Readonly<Record<string, unknown>> } : {})
  assert.equal(result.isError, true)
  assert.equal(result.structuredContent, undefined)
  return result.payload.error!
}

describe('arguments that do not fit', () => {
  test('a missing argument is named with the expected value', async () => {
    const error = await refusal('note_create', {})
    assert.deepEqual([error.code, error.field, error.retryable], ['missing_argument', 'title', false])
    assert.equal(error.message, 'title is required: a string of 1 to 20 characters')
  })

  test('the error for an unknown argument suggests the nearest name', async () => {
    const error = await refusal('note_create', { title: 'x', priorty: 'low' })
    assert.deepEqual([error.code, error.field, error.hint], ['unknown_argument', 'priorty', 'Did you mean "priority"?'])
    assert.ok(error.allowed?.includes('due_date'))
  })

  for (const [args, field, message, allowed] of [
    [
      { title: 'x', priority: 'urgent' },
      'priority',
      'priority must be one of low, high or null, got "urgent"',
      ['low', 'high'],
    ],
    [
      { title: 'x', due_date: 'tomorrow' },
      'due_date',
      'due_date must be a date YYYY-MM-DD or null, got "tomorrow"',
      undefined,
    ],
    [{ title: 'x', count: 10 }, 'count', 'count must be a whole number of 1 to 9, got 10', undefined],
    [{ title: 'x', count: '3' }, 'count', 'count must be a whole number of 1 to 9, got "3"', undefined],
    [{ title: 7 }, 'title', 'title must be a string of 1 to 20 characters, got 7', undefined],
    [
      { title: 'x'.repeat(21) },
      'title',
      `title must be a string of 1 to 20 characters, got "${'x'.repeat(21)}"`,
      undefined,
    ],
    [
      { title: 'x', steps: [{ text: 'a' }, { text: 5 }] },
      'steps[1].text',
      'steps[1].text must be a string of at most 4000 characters, got 5',
      undefined,
    ],
    [{ title: 'x', steps: {} }, 'steps', 'steps must be a list of at most 3 entries, got an empty object', undefined],
  ] as const) {
    test(message, async () => {
      const error = await refusal('note_create', args)
      assert.deepEqual(
        [error.code, error.field, error.message, error.allowed],
        ['invalid_argument', field, message, allowed],
      )
    })
  }

  test('all problems of a call are reported together', async () => {
    const error = await refusal('note_create', { titel: 'x', count: 0, priority: 'x' })
    const codes = [error, ...error.details!.problems!].map(({ code, field }) => `${code} ${field}`)
    assert.deepEqual(codes.toSorted(), [
      'invalid_argument count',
      'invalid_argument priority',
      'missing_argument title',
      'unknown_argument titel',
    ])
  })

  test('a thousand problems give a short answer', async () => {
    const args = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`x${index}`, 1]))
    assert.ok(JSON.stringify(await refusal('note_create', args)).length < 10_000)
  })

  test('a string of 1 MB is refused without being repeated', async () => {
    const error = await refusal('note_create', { title: 'x'.repeat(1_000_000) })
    assert.equal(error.message, 'title must be a string of 1 to 20 characters, got a string of 1000000 characters')
    const long = await refusal('note_create', { title: 'x', ['k'.repeat(1_000_000)]: 1 })
    assert.ok(JSON.stringify(long).length < 2000)
  })

  test('a limit counts characters as people do, not code units', async () => {
    assert.notEqual((await call(demo.app, 'note_create', { title: '🎌'.repeat(20) })).isError, true)
    const error = await refusal('note_create', { title: '🎌'.repeat(21) })
    assert.match(error.message, /of 1 to 20 characters/)
  })

  for (const [what, args] of [
    ['65 levels of lists', { title: 'x', body: JSON.parse('['.repeat(65) + ']'.repeat(65)) }],
    ['a NUL', { title: 'a\0b' }],
    ['a NUL in a key', { title: 'x', body: { 'a\0': 1 } }],
    ['half a surrogate pair', { title: '\ud83d' }],
  ] as const) {
    test(`${what} is refused`, async () => {
      const response = await send(demo.app, {
        // JSON.stringify overflows the stack with the deepest arguments.
        body: rpc('tools/call', { name: 'note_create', arguments: 'HERE' }).replace('"HERE"', deepJson(args)),
        headers: legacyHeaders('2025-11-25'),
      })
      assert.equal(toolResult(response).payload.error?.code, 'invalid_argument')
    })
  }

  test('60 levels are accepted', async () => {
    const result = await call(demo.app, 'note_create', {
      title: 'x',
      body: JSON.parse('['.repeat(60) + ']'.repeat(60)),
    })
    assert.equal(result.isError, undefined)
  })

  for (const meta of [
    { idempotencyKey: '' },
    { idempotencyKey: 'x'.repeat(201) },
    { idempotencyKey: 5 },
    { ifUpdatedAt: 'soon' },
    { ifUpdatedAt: '2030' },
    { ifUpdatedAt: 'July 3 2027' },
    // Without an offset, it would be read in the time zone of the server.
    { ifUpdatedAt: '2026-07-01T10:00:00' },
  ]) {
    test(`_meta ${JSON.stringify(meta).slice(0, 40)} is refused`, async () => {
      assert.equal((await refusal('note_create', { title: 'x' }, meta)).code, 'invalid_argument')
    })
  }

  test('the error for an unknown tool suggests the nearest name', async () => {
    const response = await send(demo.app, {
      body: rpc('tools/call', { name: 'note_creat' }),
      headers: legacyHeaders('2025-11-25'),
    })
    assert.equal(errorOf(response).message, 'Unknown tool: note_creat; did you mean note_create?')
    const long = await send(demo.app, { body: rpc('tools/call', { name: 'x'.repeat(1_000_000) }) })
    assert.ok(long.body.length < 500)
  })

  test('any arguments give a result or an error of the closed list, never an internal error', async () => {
    await check(
      asyncProperty(
        dictionary(constantFrom('title', 'priority', 'due_date', 'count', 'steps', 'other'), jsonValue()),
        async args => {
          // The body parser refuses these before they become a message.
          pre(!JSON.stringify(args).includes('"__proto__":'))
          const result = await call(demo.app, 'note_create', args)
          const code = result.payload.error?.code
          assert.ok(code === undefined || (code !== 'internal' && (ERROR_CODES as readonly string[]).includes(code)))
        },
      ),
      { numRuns: 200 },
    )
  })
})

function deepJson(value: unknown): string {
  const [, inner] = Object.entries(value as object).find(([key]) => key === 'body') ?? []
  let depth = 0
  for (let node: unknown = inner; node !== null && typeof node === 'object' && 'a' in node; node = node.a) depth++
  if (depth < 1000) return JSON.stringify(value)
  return `{"title":"x","body":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`
}

describe('failures of tools', () => {
  test('a ToolError is answered unchanged', async () => {
    assert.deepEqual(await refusal('boom', { how: 'tool' }), {
      code: 'not_found',
      message: 'No item #7',
      field: 'item_ref',
      retryable: false,
    })
  })

  test('an internal error is logged with its text and answered with the request id only', async () => {
    const before = demo.world.logged.length
    const error = await refusal('boom', { how: 'bug' })
    assert.equal(error.code, 'internal')
    assert.doesNotMatch(JSON.stringify(error), /secret/)
    const logged = demo.world.logged.slice(before) as { reqId: string; err: { message: string } }[]
    assert.equal(logged[0]!.err.message, 'secret detail')
    assert.equal(logged[0]!.reqId, error.details!['request_id'])
  })

  test('an answer that violates the output schema is an internal error', async () => {
    assert.equal((await refusal('bad_output', {})).code, 'internal')
  })

  for (const how of ['57014', '57P01', '08006', '53300', '40001', 'ECONNREFUSED', 'lost']) {
    test(`a database that fails with ${how} is answered as unavailable and retryable`, async () => {
      const error = await refusal('boom', { how })
      assert.deepEqual([error.code, error.retryable], ['unavailable', true])
      assert.doesNotMatch(JSON.stringify(error), /secret/)
    })
  }

  test('a write that conflicts with another is retried', async () => {
    demo.world.ran.length = 0
    const result = await call(demo.app, 'note_create', { title: 'conflict' })
    assert.equal(result.isError, undefined)
    assert.deepEqual(demo.world.ran, ['note_create', 'note_create', 'note_create'])
  })

  test('an error result of a tool keeps its data', async () => {
    const result = await call(demo.app, 'bulk_patch')
    assert.deepEqual([result.isError, result.payload], [true, { failed: 2 }])
  })
})

describe('results above the size limit', () => {
  let small: Demo
  before(async () => {
    small = await startDemo({ resultSizeLimit: 2000 })
  })
  after(() => small.app.close())

  test('a list is cut after a row, and the next page begins there', async () => {
    const result = await call(small.app, 'rows_list', { limit: 50, offset: 30 })
    const { rows, has_more, next_offset, warnings } = result.payload as unknown as Rows
    assert.ok(Buffer.byteLength(result.content[0]!.text) <= 2000)
    assert.ok(rows.length > 10 && rows.length < 50)
    assert.deepEqual([has_more, next_offset], [true, 30 + rows.length])
    assert.match(warnings[0]!, /^Cut to \d+ of 50 rows/)
  })

  test('a list that fits is not changed', async () => {
    const { payload } = await call(small.app, 'rows_list', { limit: 5 })
    assert.deepEqual(Object.keys(payload), ['rows', 'has_more'])
  })

  test('a result that cannot be cut is refused', async () => {
    const { payload } = await call(small.app, 'blob_get', { size: 3000 })
    assert.equal(payload.error?.code, 'limit_exceeded')
    // The tool has no parameter that would help.
    assert.match(payload.error?.hint ?? '', /result_ceiling/)
  })

  test('a list that is cut has no cursor, which would skip the rows that are cut', async () => {
    const { payload } = await call(small.app, 'cursors_list', { limit: 50 })
    const { rows, warnings } = payload as unknown as Rows
    assert.ok(!('next_cursor' in payload))
    assert.match(warnings[0]!, new RegExp(`call again with a limit of at most ${rows.length}\\.$`))
  })

  interface Rows {
    readonly rows: readonly string[]
    readonly has_more: boolean
    readonly next_offset: number
    readonly warnings: readonly string[]
  }
})
