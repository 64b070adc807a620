import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { date, definePoint, guarded, mapOf, nullable, Type, widen } from 'tasuki/plugin'
import type { TObject, TProperties, Tool } from 'tasuki/plugin'
import { assertRefused, compilePlugins, spec, tool } from './specs.ts'

const params = definePoint<TProperties>('base.params')
const base = spec('base', {
  points: [params],
  tools: [
    tool('base_get', {
      input: all =>
        widen(
          Type.Object({}),
          all(params).map(properties => ({ from: params.id, properties })),
        ),
    }),
  ],
})

describe('the boot stops on a tool', () => {
  const one = (parts: Partial<Tool>, name = 'risk_get') => [spec('risk', { tools: [tool(name, parts)] })]
  const input = (schema: unknown) => one({ input: schema as TObject })

  test('without a usable name, title, summary or class', () => {
    for (const name of ['Risk_get', 'r', 'risk-get', 'r'.repeat(47)]) assertRefused(one({}, name), name, '3 to 46')
    assertRefused(one({ title: ' ' }), 'risk_get of plugin risk', 'title and summary')
    assertRefused(one({ summary: '' }), 'title and summary')
    assertRefused(one({ class: 'D' as never }), 'class must be one of R, W, WD')
  })

  test('that asks for a confirmation without being WD', () => {
    for (const toolClass of ['R', 'W'] as const)
      assertRefused(one({ class: toolClass, confirm: () => 'Really?' }), 'only WD')
    assert.ok(compilePlugins(one({ class: 'WD', confirm: () => 'Really?' })))
  })

  test('with a parameter without description', () => {
    assertRefused(input(Type.Object({ level: Type.Integer() })), 'parameter level has no description')
    assertRefused(input(Type.Object({ level: nullable(Type.Integer()) })), 'level')
    assertRefused(input(Type.Object({ level: Type.Integer({ description: '' }) })), 'level')
    assert.ok(compilePlugins(input(Type.Object({ level: nullable(Type.Integer({ description: '0 = none.' })) }))))
  })

  test('with a contributed parameter without description', () => {
    assertRefused(
      [base, spec('labels', { dependsOn: ['base'], contributes: [params({ label: Type.String() })] })],
      'base_get',
      'label has no description',
    )
  })

  test('with a format that no value could have', () => {
    const url = (format: string) => Type.Array(Type.String({ format }), { description: 'Addresses.' })
    assertRefused(input(Type.Object({ urls: url('uri') })), 'format uri, which the host cannot check')
    assert.ok(compilePlugins(input(Type.Object({ days: url('date') }))))
  })

  test('with a pattern that is no regular expression', () => {
    const code = (pattern: string) => Type.String({ pattern, description: 'Code.' })
    assertRefused(input(Type.Object({ code: code('[a-') })), 'pattern [a-, which is no regular expression')
    assert.ok(compilePlugins(input(Type.Object({ code: code('^[a-z]+$'), pattern: code('.') }))))
  })

  test('with a type that only JavaScript has', () => {
    const at = Type.Date({ description: 'When.' })
    assertRefused(input(Type.Object({ at })), 'the type of at is not one of JSON', 'Type.String()')
    assertRefused(one({ output: Type.Object({ rows: Type.Array(Type.Object({ at })) }) }), 'the type of rows.at')
    assertRefused(one({ output: Type.Object({ count: Type.BigInt() }) }), 'the type of count')
    assert.ok(compilePlugins(one({ output: Type.Object({ type: Type.String(), any: Type.Any() }) })))
  })

  test('with an input schema that some clients reject', () => {
    assertRefused(input(Type.Union([Type.Object({}), Type.Object({})])), 'risk_get')
    assertRefused(input(Type.String()), 'object schema')
    for (const word of ['anyOf', 'oneOf', 'allOf', 'not'])
      assertRefused(input(Type.Object({}, { [word]: [] })), `top-level ${word}`)
    const typed = (type: string[]) => Type.Unsafe({ type, description: 'Two types.' })
    assertRefused(
      input(Type.Object({ level: typed(['integer', 'null']) })),
      'the type of level is an array',
      'nullable()',
    )
    const deep = Type.Object({
      rows: Type.Array(Type.Object({ cell: typed(['string', 'null']) }), { description: 'Rows.' }),
    })
    assertRefused(input(deep), 'rows.cell')
  })

  test('with a schema that cannot be compiled', () => {
    assertRefused(input(Type.Object({ level: { description: 'No kind.' } as never })), 'risk_get of plugin risk')
  })

  test('with an output that is not an object', () => {
    assertRefused(one({ output: Type.Array(Type.String()) as never }), 'output must be an object')
  })

  test('whose rows are not a list in its output', () => {
    const output = Type.Object({ items: Type.Array(Type.String()), total: Type.Integer() })
    assertRefused(one({ output, rows: 'notes' }), 'rows names "notes"')
    assertRefused(one({ output, rows: 'total' }), 'rows names "total"')
    assertRefused(
      [spec('risk', { tools: [{ ...tool('risk_get', { rows: 'items' }), output: undefined as never }] })],
      '"items"',
    )
    assert.ok(compilePlugins(one({ output, rows: 'items' })))
  })
})

test('undeclared parameters are refused unless the tool allows them', () => {
  const check = (schema: TObject) =>
    compilePlugins([spec('risk', { tools: [tool('risk_get', { input: schema })] })]).tools.get('risk_get')!
  assert.equal(check(Type.Object({})).check.Check({ x: 1 }), false)
  assert.equal(check(Type.Object({}, { additionalProperties: true })).check.Check({ x: 1 }), true)
  assert.deepEqual(check(Type.Object({})).listed['inputSchema'], {
    type: 'object',
    properties: {},
    additionalProperties: false,
  })
})

test('a tool that needs a plugin that is off is not served but reported', () => {
  const risk = spec('risk', {
    optionalDependsOn: ['sprints', 'weather'],
    tools: [tool('risk_get'), tool('risk_forecast', { needs: ['sprints', 'weather'] })],
  })
  const [sprints, weather] = [spec('sprints'), spec('weather')]
  const without = compilePlugins([risk, sprints])
  assert.deepEqual([...without.tools.keys()], ['risk_get'])
  assert.deepEqual(without.skipped, ['risk → weather (risk_forecast)'])
  const complete = compilePlugins([risk, sprints, weather])
  assert.deepEqual([...complete.tools.keys()], ['risk_get', 'risk_forecast'])
  assert.deepEqual(complete.skipped, [])
})

test('keywords that some vendors refuse are checked but not listed', () => {
  const fields = mapOf(nullable(guarded(Type.String(), { maxLength: 3 })), { description: 'Fields.' })
  const input = Type.Object({
    day: Type.Optional(date('YYYY-MM-DD.')),
    fields: Type.Optional(guarded(fields, { maxProperties: 2 })),
  })
  const { listed, check } = compilePlugins([spec('risk', { tools: [tool('risk_get', { input })] })]).tools.get(
    'risk_get',
  )!
  assert.deepEqual((listed['inputSchema'] as { properties: object }).properties, {
    day: { type: 'string', description: 'YYYY-MM-DD.' },
    fields: {
      type: 'object',
      description: 'Fields.',
      additionalProperties: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    },
  })
  for (const right of [{}, { day: '2026-02-28' }, { fields: { a: 'abc', b: null } }])
    assert.ok(check.Check(right), JSON.stringify(right))
  for (const wrong of [
    { day: '2026-02-30' },
    { fields: { a: 'abcd' } },
    { fields: { a: 1 } },
    { fields: { a: 'a', b: 'b', c: 'c' } },
  ])
    assert.ok(!check.Check(wrong), JSON.stringify(wrong))
})
