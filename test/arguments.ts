import * as fc from 'fast-check'
import type { Arbitrary } from 'fast-check'
import { codePoint } from './code-point.ts'

/** The part of JSON Schema that tool inputs use. */
export interface JsonSchema {
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'null' | 'array' | 'object'
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
}

/** Generates random JSON under known and unknown parameter names, without `__proto__`, which the body parser refuses. */
export function anyArguments(known: readonly string[]): Arbitrary<Record<string, unknown>> {
  const name = known.length === 0 ? fc.string() : fc.oneof(fc.constantFrom(...known), fc.string())
  return fc.dictionary(name, fc.jsonValue(), { maxKeys: 6 }).filter(args => !JSON.stringify(args).includes('__proto__'))
}

/** Generates arguments that mostly match a schema, with values that handlers often mishandle. */
export function shapedArguments(schema: JsonSchema): Arbitrary<Record<string, unknown>> {
  return valueOf(schema) as Arbitrary<Record<string, unknown>>
}

/** Texts that have a meaning for some tool, and texts that break careless code. */
const TEXTS = [
  'APP',
  'INBOX',
  '#1',
  'APP#2',
  'app＃1',
  'APP-1',
  '#0',
  '#99999999999999999999',
  'bug',
  'done',
  'Done',
  'In progress',
  '2026-12-24',
  '0001-01-01',
  '9999-12-31',
  '23:59',
  '2026-12-24T10:00:00Z',
  '01989898-0000-7000-8000-000000000000',
  'kind:task',
  'due:<+7d -label:bug',
  'title:"a b" OR NOT is:closed',
  '(',
  ')))',
  '-',
  ':',
  'a:b:c',
  '"',
  '',
  ' ',
  '%',
  '_',
  '\\',
  "'; drop table x; --",
  '${x}{{x}}',
  '{}',
  '[]',
  '.*',
  '(a+)+$',
  '[[:alpha:]]',
  '\u{1F469}\u200D\u{1F680}',
  'e\u0301',
  'İıſ',
  '議事録',
  '\u202Eabc',
  '\uFEFF',
  '\r\n\t',
  'a/b/c',
  '/',
  '#ff0000',
  'none',
  'any',
  '@me',
  '@active',
  'ann@example.com',
  'Asia/Tokyo',
  'x'.repeat(64),
  'x'.repeat(200),
  'あ'.repeat(1000),
]
const NUMBERS = [0, 1, 2, 100, 2 ** 31 - 1, 2 ** 31, 2 ** 53 - 1]

function valueOf(schema: JsonSchema): Arbitrary<unknown> {
  const { anyOf, enum: choices, type } = schema
  if (anyOf) return fc.oneof(...anyOf.map(valueOf))
  if (choices) return fc.constantFrom(...choices)
  if (type === undefined) return fc.jsonValue()
  switch (type) {
    case 'string':
      return textOf(schema)
    case 'integer':
    case 'number':
      return numberOf(schema)
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array': {
      const { items = {}, minItems = 0, maxItems = 4 } = schema
      return fc.array(valueOf(items), { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, 4)) })
    }
    case 'object':
      return objectOf(schema)
  }
}

function textOf({ minLength = 0, maxLength = 2000 }: JsonSchema): Arbitrary<string> {
  const fits = TEXTS.filter(text => text.length >= minLength && text.length <= maxLength)
  const random = fc.string({ minLength, maxLength: Math.min(maxLength, minLength + 30), unit: codePoint })
  const long = fc.integer({ min: 1, max: Math.min(maxLength, 5000) }).map(length => 'y'.repeat(length))
  return fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...fits, 'APP#1') }, random, long)
}

function numberOf({ minimum = -1, maximum = 2 ** 53 - 1 }: JsonSchema): Arbitrary<number> {
  const fits = NUMBERS.filter(number => number >= minimum && number <= maximum)
  return fc.oneof(fc.constantFrom(minimum, maximum, ...fits), fc.integer({ min: minimum, max: maximum }))
}

function objectOf({ properties = {}, required = [] }: JsonSchema): Arbitrary<unknown> {
  const members = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, valueOf(schema)]))
  return fc.record(members, { requiredKeys: required.filter(name => name in members) })
}
