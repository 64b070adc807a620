import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readArguments } from '../core/mcp/arguments.ts'
import { READ_AS, type ReadAs } from '../core/plugin/fields.ts'
import { testHost, type ToolFailure } from '../core/testing/index.ts'
import { countStatements } from './bench/statements.ts'
import { suiteScope } from './core/suite-scope.ts'

describe('tolerated forms of arguments', () => {
  const scope = suiteScope()

  test('null for an optional argument means that it was left out, in every tool', async () => {
    const host = await testHost(scope, { config: { plugins: { project_admin: {} } } })
    const seen = new Set<string>()
    let nulls = 0
    await countStatements(host, 3, async (name, args) => {
      const tool = host.registry.tools.get(name)!
      seen.add(name)
      const { properties, required = [] } = tool.input
      const argsWithNulls: Record<string, unknown> = { ...args }
      const expected: Record<string, unknown> = { ...args }
      for (const [key, schema] of Object.entries(properties)) {
        if (key in args || required.includes(key)) continue
        const variants = (schema['anyOf'] ?? []) as readonly { readonly type?: string }[]
        if (variants.some(({ type }) => type === 'null')) continue
        argsWithNulls[key] = null
        nulls++
        // For some parameters null has the effect of an empty string.
        if ((schema[READ_AS] as ReadAs | undefined)?.(null) === '') expected[key] = ''
      }
      assert.deepEqual(readArguments(tool, argsWithNulls), expected, name)
      if (tool.class !== 'R') return
      const answer = (input: object): Promise<unknown> => host.call(name, input).catch(({ code }: ToolFailure) => code)
      const [withNulls, without] = [await answer(argsWithNulls), await answer(args)]
      assert.equal(typeof withNulls, typeof without, name)
      if (typeof without === 'string') assert.equal(withNulls, without, name)
      else assert.deepEqual(fieldsOf(withNulls), fieldsOf(without), name)
    })
    assert.deepEqual(
      [...host.registry.tools.keys()].filter(name => !seen.has(name)),
      [],
    )
    assert.ok(nulls > 150, `${nulls}`)
  })

  test('a time may have one digit for the hour, and full-width characters', async () => {
    const host = await testHost(scope, {})
    const create = (due_time: unknown, more: object = { due_date: '2027-03-01' }) =>
      host.call('items_create', { project_key: 'INBOX', title: 'x', due_time, ...more })
    for (const text of ['9:30', '９：３０', '09：30', ' 9:30 '])
      assert.equal((await create(text)).item.due_time, '09:30', text)
    assert.equal((await create('21:05')).item.due_time, '21:05')
    for (const text of ['24:00', '9:5', '930', '9:60', '123:00', 'noon'])
      await assert.rejects(create(text), { code: 'invalid_argument', field: 'due_time' }, text)
    const { item } = await create('9:30')
    const patched = await host.call('items_patch', { item_ref: item.ref, due_time: '7:05' })
    assert.equal(patched.item.due_time, '07:05')
    const dated = await host.call('items_patch', { item_ref: item.ref, start_date: '2027-02-01' })
    assert.equal(dated.item.start_date, '2027-02-01')
    const cleared = await host.call('items_patch', { item_ref: item.ref, start_date: null })
    assert.deepEqual(cleared.changed, ['start_date'])
  })

  test('the refusal of a long text says how to add the rest, if the caller has the tool', async () => {
    const host = await testHost(scope, {})
    const detail = 'x'.repeat(32_001)
    const hintOf = (name: string, args: object, query = ''): Promise<string | undefined> =>
      host.call(name, args, { query }).then(
        () => assert.fail(),
        ({ code, hint }: ToolFailure) => {
          assert.equal(code, 'invalid_argument')
          return hint
        },
      )
    const limits = 'at most 32000 characters a call and 100000 in all.'
    const elsewhere = `Send it in parts: the first now, the rest in further calls with detail_append of items_patch, ${limits}`
    const fresh = { project_key: 'INBOX', title: 'x' }
    assert.equal(await hintOf('items_create', { ...fresh, detail }), elsewhere)
    assert.equal(await hintOf('notes_create', { ...fresh, body: detail }), elsewhere)
    assert.equal(
      await hintOf('items_create', { ...fresh, detail }, 'tools=items_create'),
      'Shorten it to 32000 characters.',
    )
    const { item } = await host.call('items_create', fresh)
    const rewrite = { item_ref: item.ref, new_detail: detail }
    assert.equal(await hintOf('items_rewrite_detail', rewrite), elsewhere)
    const here = `Send it in parts: the first now, the rest in further calls with detail_append, ${limits}`
    for (const name of ['detail', 'detail_append'])
      assert.equal(await hintOf('items_patch', { item_ref: item.ref, [name]: detail }), here)
    await host.call('items_patch', { item_ref: item.ref, detail: 'x'.repeat(32_000) })
    await host.call('items_patch', { item_ref: item.ref, detail_append: 'y' })
    assert.equal((await host.call('items_get', { item_ref: item.ref })).item.detail.length, 32_001)
  })
})

/** The fields of an answer. The preview of a bulk change warns of a null that clears nothing, as the change does. */
const fieldsOf = (answer: unknown): string[] => Object.keys(answer as object).filter(name => name !== 'warnings')
