import type { TSchema } from '@sinclair/typebox'
import { EXPECTED } from '../../plugin/fields.ts'
import { formatCount } from '../../plugin/format-count.ts'

/** Describes in words what a schema expects. */
export function describeExpectation(schema: TSchema): string {
  const expected: unknown = schema[EXPECTED]
  if (typeof expected === 'string') return expected
  const { minLength, maxLength, minimum, maximum, minItems, maxItems, pattern } = schema as Record<string, unknown>
  if (Array.isArray(schema['enum'])) return `one of ${schema['enum'].slice(0, 20).join(', ')}`
  if (Array.isArray(schema['anyOf'])) return (schema['anyOf'] as TSchema[]).map(describeExpectation).join(' or ')
  if ('const' in schema) return JSON.stringify(schema['const'])
  switch (schema['type']) {
    case 'string':
      return (
        FORMATS[String(schema['format'])] ??
        `a string${describeRange(minLength, maxLength, 'character')}${pattern === undefined ? '' : ` matching ${String(pattern)}`}`
      )
    case 'integer':
      return `a whole number${describeRange(minimum, maximum)}`
    case 'number':
      return `a number${describeRange(minimum, maximum)}`
    case 'boolean':
      return 'true or false'
    case 'null':
      return 'null'
    case 'array':
      return `a list${describeRange(minItems, maxItems, 'entry', 'entries')}${schema['uniqueItems'] === true ? ' without repeats' : ''}`
    case 'Function':
      return 'a function'
    case 'object':
      return `an object${describeRange(schema['minProperties'], schema['maxProperties'], 'entry', 'entries')}`
    default:
      return 'a value that fits the schema'
  }
}

const FORMATS: Readonly<Record<string, string>> = {
  date: 'a date YYYY-MM-DD',
  'date-time': 'an instant, ISO 8601 with its offset from UTC',
  uuid: 'a UUID',
}

/** Describes a range in words, with a leading space; empty if the range has no limits. */
export function describeRange(least: unknown, most: unknown, one = '', many = one && `${one}s`): string {
  const counted = (limit: number): string => formatCount(limit, one, many).trimEnd()
  if (typeof least === 'number' && typeof most === 'number') return ` of ${least} to ${counted(most)}`
  if (typeof least === 'number') return ` of at least ${counted(least)}`
  return typeof most === 'number' ? ` of at most ${counted(most)}` : ''
}
