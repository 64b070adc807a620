import { FormatRegistry, Kind, Type, TypeRegistry } from '@sinclair/typebox'
import type { Static, TObject, TProperties, TSchema, TUnsafe } from '@sinclair/typebox'
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

FormatRegistry.Set('date', isDate)
FormatRegistry.Set(
  'date-time',
  value => TIMESTAMP.test(value) && isDate(value.slice(0, 10)) && !Number.isNaN(Date.parse(value)),
)
FormatRegistry.Set('uuid', isUuid)

TypeRegistry.Set('CalendarDate', (_schema, value) => typeof value === 'string' && isDate(value))
TypeRegistry.Set('ClearableDate', (_schema, value) => typeof value === 'string' && (value === '' || isDate(value)))
TypeRegistry.Set<{ enum: readonly string[] }>('Choice', (schema, value) =>
  (schema.enum as readonly unknown[]).includes(value),
)

/** One of a few words, as a JSON Schema `enum` (a union of literals would become `anyOf`, which some clients reject). */
export function choice<const T extends readonly string[]>(values: T, options: object = {}): TUnsafe<T[number]> {
  return Type.Unsafe<T[number]>({ ...options, [Kind]: 'Choice', type: 'string', enum: values })
}

/** `anyOf [X, null]`: type arrays make some clients reject the whole tool list. Its description is that of X. */
export function nullable<T extends TSchema>(schema: T, options: object = {}) {
  const { description, ...rest } = schema
  return Type.Union([rest as T, Type.Null()], { ...(description !== undefined && { description }), ...options })
}

/** Limits that guard the service and tell a caller nothing: they are checked, and left out of what clients are shown. */
export function guarded<T extends TSchema>(schema: T, limits: Readonly<Record<string, unknown>>): T {
  return {
    ...schema,
    ...limits,
    [UNLISTED]: [...((schema[UNLISTED] as string[] | undefined) ?? []), ...Object.keys(limits)],
  }
}
/** Where a schema names its own keywords that are not listed. */
export const UNLISTED = 'x-unlisted'

/** A name, key, id or reference of something that exists: looked up, so all that matters is what it names. */
export function reference(description?: string) {
  return guarded(Type.String(description === undefined ? {} : { description }), { minLength: 1, maxLength: 300 })
}

/** Id of a record, a UUID. */
export function recordId(description: string) {
  return guarded(Type.String({ description }), { format: 'uuid' })
}

/**
 * Object whose keys are the caller's choice. Listed with `additionalProperties`: Type.Record would write `patternProperties`, which
 * Gemini refuses.
 */
export function mapOf<T extends TSchema>(values: T, options: object = {}): TUnsafe<Record<string, Static<T>>> {
  const schema = Type.Object({}, { ...options, additionalProperties: values })
  return Type.Unsafe<Record<string, Static<T>>>({ ...schema, [UNLISTED]: ['properties'] })
}

/**
 * Calendar date `YYYY-MM-DD`, never an instant; the description says so, since Gemini refuses a tool with the format `date`.
 * With `clearable`, an empty string is let through: handlers treat it as null.
 */
export function date(description: string, { clearable = false } = {}): TUnsafe<string> {
  const kind = clearable ? 'ClearableDate' : 'CalendarDate'
  const schema = Type.Unsafe<string>({ [Kind]: kind, type: 'string', description })
  return guarded(schema, { format: 'date', [EXAMPLE]: '2026-12-31', ...(clearable && { [READ_AS]: readCleared }) })
}

/** Where a schema says how a value that does not fit is to be read; undefined where it cannot be. */
export const READ_AS = 'x-read-as'
export type ReadAs = (value: unknown) => unknown

/** Time of day `HH:MM`, 24 hours; `9:30` and full-width characters are read as such. With `clearable`, an empty string is let through: handlers treat it as null. */
export function time(description: string, { clearable = false } = {}) {
  const pattern = '([01]\\d|2[0-3]):[0-5]\\d'
  return guarded(Type.String({ description }), {
    pattern: clearable ? `^(${pattern})?$` : `^${pattern}$`,
    [EXAMPLE]: '09:30',
    [READ_AS]: clearable ? (value: unknown) => readCleared(value) ?? readTime(value) : readTime,
  })
}

function readTime(value: unknown): string | undefined {
  const match = typeof value === 'string' ? /^(\d{1,2}):(\d\d)$/.exec(value.normalize('NFKC').trim()) : null
  return match ? `${match[1]!.padStart(2, '0')}:${match[2]}` : undefined
}

/** What may be cleared by an empty string is cleared by null. */
function readCleared(value: unknown): string | undefined {
  return value === null ? '' : undefined
}

/** Where a schema gives a value that fits, for the hint of a refusal. */
export const EXAMPLE = 'x-example'

/** Where a schema says how a text is written that is longer than one call takes. */
export const CONTINUED = 'x-continued'
export interface Continued {
  /** Characters that all calls together may write. */
  readonly total: number
  /** The tool and its parameter that add to the end. */
  readonly tool: string
  readonly parameter: string
}

/** Text of which one call takes `maxLength` characters; the refusal of a longer one says how the rest is added. */
export function continuedText(description: string, maxLength: number, continued: Continued) {
  return guarded(Type.String({ maxLength, description }), { [CONTINUED]: continued })
}

/** Instant, ISO 8601 with zone. */
export function timestamp(description: string) {
  return guarded(Type.String({ format: 'date-time', description }), { [EXAMPLE]: '2026-12-31T09:00:00Z' })
}

/** Adds contributed properties to an object schema; the static type stays that of `base`. @throws HostError on a clash. */
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
