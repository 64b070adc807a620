import type { TSchema } from '@sinclair/typebox'

/** Describes in words what a schema expects. */
export function expectation(schema: TSchema): string {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems, pattern } = schema as Record<string, unknown>
  if (Array.isArray(schema['enum'])) return `one of ${schema['enum'].slice(0, 20).join(', ')}`
  if (Array.isArray(schema['anyOf'])) return (schema['anyOf'] as TSchema[]).map(expectation).join(' or ')
  if ('const' in schema) return JSON.stringify(schema['const'])
  switch (schema['type']) {
    case 'string':
      return (
        FORMATS[String(schema['format'])] ??
        `a string${span('characters', minLength, maxLength)}${pattern === undefined ? '' : ` matching ${String(pattern)}`}`
      )
    case 'integer':
      return `a whole number${span('', minimum, maximum)}`
    case 'number':
      return `a number${span('', minimum, maximum)}`
    case 'boolean':
      return 'true or false'
    case 'null':
      return 'null'
    case 'array':
      return `a list${span('entries', minItems, maxItems)}${schema['uniqueItems'] === true ? ' without repeats' : ''}`
    case 'object':
      return 'an object'
    default:
      return 'a value that fits the schema'
  }
}

const FORMATS: Readonly<Record<string, string>> = {
  date: 'a date YYYY-MM-DD',
  'date-time': 'an instant, ISO 8601 with zone',
  uuid: 'a UUID',
}

/** Describes a range in words, with a leading space; empty if the range has no limits. */
export function span(unit: string, least: unknown, most: unknown): string {
  const units = unit && ` ${unit}`
  if (typeof least === 'number' && typeof most === 'number') return ` of ${least} to ${most}${units}`
  if (typeof least === 'number') return ` of at least ${least}${units}`
  return typeof most === 'number' ? ` of at most ${most}${units}` : ''
}
