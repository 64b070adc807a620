import { FormatRegistry, Kind, Type, TypeRegistry } from '@sinclair/typebox'
import type { Static, TObject, TProperties, TSchema, TString, TUnsafe } from '@sinclair/typebox'
import { normalizeText } from './normalize-text.ts'
import { isUuid } from './uuid.ts'

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/
const isDate = (value: string): boolean => {
  const match = DATE.exec(value)
  if (!match) return false
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  const date = new Date(Date.UTC(year, month - 1, day))
  return year > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/i

/** Returns whether a text is an instant in ISO 8601 with its offset from UTC, at least to the minute. */
export const isTimestamp = (value: string): boolean =>
  TIMESTAMP.test(value) && isDate(value.slice(0, 10)) && !Number.isNaN(Date.parse(value))

FormatRegistry.Set('date', isDate)
FormatRegistry.Set('date-time', isTimestamp)
FormatRegistry.Set('uuid', isUuid)

TypeRegistry.Set('CalendarDate', (_schema, value) => typeof value === 'string' && isDate(value))
TypeRegistry.Set('ClearableDate', (_schema, value) => typeof value === 'string' && (value === '' || isDate(value)))
TypeRegistry.Set<{ enum: readonly string[] }>(
  'Choice',
  (schema, value) => (schema.enum as readonly unknown[]).includes(value) || (value === '' && READ_AS in schema),
)

/** Schema of a closed list of words, as a JSON Schema `enum` (a union of literals would become `anyOf`, which some clients reject). */
export function choice<const T extends readonly string[]>(values: T, options: object = {}): TUnsafe<T[number]> {
  return Type.Unsafe<T[number]>({ ...options, [Kind]: 'Choice', type: 'string', enum: values })
}

/** Makes a schema nullable as `anyOf [X, null]`, because some clients reject a list with type arrays. Keeps the description of X. */
export function nullable<T extends TSchema>(schema: T, options: object = {}) {
  const { description, ...rest } = schema
  return Type.Union([rest as T, Type.Null()], { ...(description !== undefined && { description }), ...options })
}

/** Adds limits that protect the service but do not help callers: they are checked, but not listed for clients. */
export function guarded<T extends TSchema>(schema: T, limits: Readonly<Record<string, unknown>>): T {
  return {
    ...schema,
    ...limits,
    [UNLISTED]: [...((schema[UNLISTED] as string[] | undefined) ?? []), ...Object.keys(limits)],
  }
}
/** Pattern of texts that are not white space alone. */
export const NOT_BLANK = '\\S'
/** Refuses texts of white space alone, which nobody could see in a list. */
export function notBlank(schema: TString): TString {
  return guarded(schema, {
    pattern: NOT_BLANK,
    [EXPECTED]: `a text of 1 to ${schema.maxLength} characters, not of spaces alone`,
  })
}
/** Keyword that lists the keywords of a schema to hide from clients. */
export const UNLISTED = 'x-unlisted'

/** Schema of a name, key, id or reference of an existing record. Its format is not restricted, because it is looked up. */
export function reference(description?: string) {
  return guarded(Type.String(description === undefined ? {} : { description }), { minLength: 1, maxLength: 300 })
}

/** Schema of the id of a record, a UUID. */
export function recordId(description: string) {
  return guarded(Type.String({ description }), { format: 'uuid' })
}

/**
 * Schema of an object with arbitrary keys. It uses `additionalProperties`, because the `patternProperties` of Type.Record are rejected by
 * Gemini.
 */
export function mapOf<T extends TSchema>(values: T, options: object = {}): TUnsafe<Record<string, Static<T>>> {
  const schema = Type.Object({}, { ...options, additionalProperties: values })
  return Type.Unsafe<Record<string, Static<T>>>({ ...schema, [UNLISTED]: ['properties'] })
}

/**
 * Schema of a calendar date `YYYY-MM-DD` without time and zone. The description must state the format, because Gemini rejects tools with
 * the format `date`.
 * With `clearable`, an empty string is valid, and handlers treat it as null.
 */
export function date(description: string, { clearable = false } = {}): TUnsafe<string> {
  const kind = clearable ? 'ClearableDate' : 'CalendarDate'
  const schema = Type.Unsafe<string>({ [Kind]: kind, type: 'string', description })
  return guarded(schema, {
    format: 'date',
    [EXAMPLE]: '2026-12-31',
    ...(clearable && { [READ_AS]: readCleared }),
  })
}

/** Keyword with a function that converts a value that does not match the schema; the function returns undefined if it cannot. */
export const READ_AS = 'x-read-as'
export type ReadAs = (value: unknown) => unknown

/**
 * Schema of a time of day `HH:MM`, 24 hours; `9:30` and full-width characters are converted. With `clearable`, an empty string is valid,
 * and handlers treat it as null.
 */
export function time(description: string, { clearable = false } = {}) {
  const pattern = '([01]\\d|2[0-3]):[0-5]\\d'
  return guarded(Type.String({ description }), {
    pattern: clearable ? `^(${pattern})?$` : `^${pattern}$`,
    [EXPECTED]: 'a time of day from 00:00 to 23:59',
    [EXAMPLE]: '09:30',
    [READ_AS]: clearable ? (value: unknown) => readCleared(value) ?? readTime(value) : readTime,
  })
}

function readTime(value: unknown): string | undefined {
  const match = typeof value === 'string' ? /^(\d{1,2}):(\d\d)$/.exec(normalizeText(value).trim()) : null
  return match ? `${match[1]!.padStart(2, '0')}:${match[2]}` : undefined
}

/** Makes null clear an optional text or choice, without listing it for clients: it is read as an empty string, which handlers treat as null. */
export function clearable<T extends TSchema>(schema: T): T {
  return guarded(schema, { [READ_AS]: readCleared })
}

/** Converts null to an empty string, which clears the value. */
function readCleared(value: unknown): string | undefined {
  return value === null ? '' : undefined
}

/** Keyword with a valid example, for the hint of an error. */
export const EXAMPLE = 'x-example'

/** Keyword that describes valid values in words, for the message of an error. */
export const EXPECTED = 'x-expected'

/** Schema of an http or https address in a config. */
export function httpAddress(description: string): TString {
  const expected = 'an http or https address such as https://models.example.com/v1'
  return Type.String({ pattern: '^https?://[^\\s/]', description, [EXPECTED]: expected })
}

/** Keyword that describes how to send a text that exceeds the limit of one call. */
export const CONTINUED = 'x-continued'
export interface Continued {
  /** Maximum number of characters of all calls together. */
  readonly total: number
  /** Tool and parameter that append text. */
  readonly tool: string
  readonly parameter: string
}

/** Schema of a text with at most `maxLength` characters per call; the error of a longer one explains how to append the rest. */
export function continuedText(description: string, maxLength: number, continued: Continued) {
  return guarded(Type.String({ maxLength, description }), { [CONTINUED]: continued })
}

/** Schema of an instant, ISO 8601 with zone. */
export function timestamp(description: string) {
  return guarded(Type.String({ format: 'date-time', description }), { [EXAMPLE]: '2026-12-31T09:00:00+09:00' })
}

/** Adds contributed properties to an object schema; the static type stays that of `base`. @throws TypeError if a name exists already */
export function widen<S extends TObject>(
  base: S,
  extra: readonly { readonly from: string; readonly properties: TProperties }[],
): S {
  const properties: TProperties = { ...base.properties }
  for (const { from, properties: more } of extra) {
    for (const [name, schema] of Object.entries(more)) {
      if (name in properties) throw new TypeError(`${from} adds "${name}", which exists already; rename one of them`)
      properties[name] = Type.Optional(schema)
    }
  }
  const { properties: _properties, required: _required, ...options } = base
  return Type.Object(properties, options) as unknown as S
}

/** Parameter of a list: where the page begins. */
export const pageOffset = Type.Optional(
  guarded(Type.Integer({ description: 'From next_offset.' }), { minimum: 0, maximum: 100_000 }),
)

/** Members of the output of a list with `pageOffset`. */
export const pageEnd = { has_more: Type.Boolean(), next_offset: nullable(Type.Integer()) }

/** Returns what follows a page. @param found rows that were read: one more than the page holds if there are more */
export function endOfPage(found: number, { limit, offset }: { readonly limit: number; readonly offset: number }) {
  const has_more = found > limit
  return { has_more, next_offset: has_more ? offset + limit : null }
}
