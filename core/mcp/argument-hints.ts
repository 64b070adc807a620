import type { TObject, TSchema } from '@sinclair/typebox'
import { Check } from '@sinclair/typebox/value'
import { countCharacters } from '../plugin/clip.ts'
import { CONTINUED, EXAMPLE, NOT_BLANK, type Continued } from '../plugin/fields.ts'
import { nearest } from '../plugin/nearest.ts'
import { normalizeText } from '../plugin/normalize-text.ts'
import { describeRange } from '../runtime/registry/expectation.ts'
import { formatCount } from '../plugin/format-count.ts'

/** Context that a hint may refer to. */
export interface HintContext {
  /** The tool's input schema. */
  readonly input: TObject
  /** Tools that the caller can use. */
  readonly tools: Pick<ReadonlyMap<string, unknown>, 'has'>
  readonly misnomers?: Readonly<Record<string, string>> | undefined
}

/**
 * Returns a hint on how to fix an argument that does not match its schema; null only where another variant of the schema has one.
 * @param field path of the argument, for example `members[0].role`
 */
export function hintFor(field: string, value: unknown, schema: TSchema, context: HintContext): string | null {
  const suggestion = suggestWritten(field, value, schema, context.input)
  if (suggestion !== null) return suggestion
  const variants = schema['anyOf'] as readonly TSchema[] | undefined
  if (variants) {
    const description = schema.description
    // `nullable` puts the description on the union instead of the variant.
    const described = description === undefined ? variants : variants.map(variant => ({ description, ...variant }))
    return described.map(variant => hintFor(field, value, variant, context)).find(hint => hint !== null) ?? null
  }
  if (Array.isArray(schema['enum'])) return choiceHint(value, schema['enum'].map(String))
  switch (schema['type']) {
    case 'integer':
    case 'number':
      return typeof value === 'number'
        ? numberHint(field, value, schema, context)
        : 'Write a number in digits, without quotes.'
    case 'boolean':
      return 'Write true or false, without quotes.'
    case 'string':
      return typeof value === 'string' ? textHint(value, schema, context) : suggestQuoted(value, schema, context)
    case 'array':
      return Array.isArray(value) ? listHint(value, schema) : inList(value, schema)
    case 'object':
      return 'Give an object in braces, without quotes around it.'
    default:
      return null
  }
}

/** Suggests the value that a text stands for, or to leave out what stands for none: models fill in what they do not need. */
function suggestWritten(field: string, text: unknown, schema: TSchema, { properties, required = [] }: TObject) {
  const written = typeof text === 'string' ? readWritten(text) : undefined
  const isOptional = field in properties && !required.includes(field)
  // `None` may be a choice.
  if (written === null && isOptional && (text === '' || !choicesOf(schema)?.includes('none')))
    return Check(schema, null) ? 'Leave it out, or write null without quotes to clear it.' : 'Leave it out.'
  return written !== undefined && Check(schema, written) ? `Write ${written} without quotes.` : null
}

/** Words that models write for values that stand without quotes. An empty text stands for none. */
const WRITTEN = new Map<string, boolean | null>([
  ...['true', 'yes', 'on'].map(word => [word, true] as const),
  ...['false', 'no', 'off'].map(word => [word, false] as const),
  ...['', 'null', 'none', 'undefined'].map(word => [word, null] as const),
])

/** Reads the value that a text stands for: `"5"` is 5 and `"yes"` is true; undefined if it is only a text. */
function readWritten(text: string): number | boolean | null | undefined {
  if (text.length > LONGEST_WRITTEN) return undefined
  const plain = normalizeText(text).trim().toLowerCase()
  return /^-?\d{1,15}(\.\d{1,9})?$/.test(plain) ? Number(plain) : WRITTEN.get(plain)
}
const LONGEST_WRITTEN = 30

/** Returns the choices of a schema or of one of its variants. */
export function choicesOf(schema: TSchema): readonly string[] | undefined {
  if (Array.isArray(schema['enum'])) return schema['enum'].map(String)
  const variants = (schema['anyOf'] ?? []) as readonly TSchema[]
  return variants.map(choicesOf).find(choices => choices !== undefined)
}

function choiceHint(value: unknown, choices: readonly string[]): string {
  const meant = typeof value === 'string' ? nearest(value.trim().toLowerCase(), choices) : null
  return meant === null ? 'Choose one of allowed.' : `Did you mean "${meant}"?`
}

function numberHint(field: string, value: number, schema: TSchema, { input }: HintContext): string {
  const range = describeRange(schema['minimum'], schema['maximum']).replace(/^ of /, ' ')
  if (range === '') return 'Give a whole number.'
  const isPageTooLarge = field === 'limit' && value > Number(schema['maximum'])
  const way = ['offset', 'cursor'].find(parameter => parameter in input.properties)
  return isPageTooLarge && way ? `Give${range}; read on with ${way}.` : `Give${range}.`
}

function textHint(value: string, schema: TSchema, context: HintContext): string | null {
  const least = Number(schema['minLength'] ?? 0)
  const most = Number(schema['maxLength'] ?? Infinity)
  const length = countCharacters(value)
  if (length > most) return continuedHint(schema, context) ?? `Shorten it to ${formatCount(most, 'character')}.`
  if (length < least) return `Give at least ${formatCount(least, 'character')}.`
  if (schema['pattern'] === NOT_BLANK) return 'Give text that is not only spaces.'
  const example = schema[EXAMPLE] as string | undefined
  if (example === undefined) return schema.description ?? null
  return formOf(value) === formOf(example)
    ? 'There is no such day or time; give one that exists.'
    : `Write it like ${example}.`
}

const formOf = (text: string): string => text.replaceAll(/\d/g, '0')

function listHint(value: readonly unknown[], { minItems = 0, maxItems = Infinity }: TSchema): string | null {
  if (value.length > maxItems)
    return `Give at most ${formatCount(maxItems, 'entry', 'entries')}; make further calls for the rest.`
  if (value.length < minItems) return `Give at least ${formatCount(minItems, 'entry', 'entries')}.`
  return 'Name each entry once.'
}

function suggestQuoted(value: unknown, schema: TSchema, context: HintContext): string | null {
  if (typeof value !== 'number' && typeof value !== 'boolean')
    return schema[EXAMPLE] === undefined ? 'Give one text, in quotes.' : `Write it like ${schema[EXAMPLE]}.`
  const text = String(value)
  return Check(schema, text) ? `Write it as text: "${text}".` : textHint(text, schema, context)
}

/** Longest text in place of a list whose entries the hint shows, in characters. */
const MOST_SHOWN = 80

/** Models send a list as its JSON in quotes, or its entries with commas. */
function inList(value: unknown, { items = {} }: TSchema): string {
  if (typeof value === 'string' && /^\s*\[.*\]\s*$/s.test(value))
    return 'Send the list itself, without quotes around it.'
  const isShort = JSON.stringify(value).length <= MOST_SHOWN
  const entries = typeof value === 'string' && isShort ? value.split(',').map(entry => entry.trim()) : [value]
  const choices = choicesOf(items as TSchema)
  if (!entries.every(entry => Check(items as TSchema, entry)))
    return choices
      ? `Give a list of some of these: ${choices.join(', ')}.`
      : 'Give a list in brackets, also for one entry.'
  return isShort ? `Give a list, also for one entry: ${JSON.stringify(entries)}.` : 'Give a list, also for one entry.'
}

/** Returns how to send a text that exceeds the limit of one call, or null if that is impossible or the caller lacks the tool. */
function continuedHint(schema: TSchema, { input, tools }: HintContext): string | null {
  const continued = schema[CONTINUED] as Continued | undefined
  if (!continued) return null
  const { total, tool, parameter } = continued
  const isHere = parameter in input.properties
  if (!isHere && !tools.has(tool)) return null
  const way = isHere ? parameter : `${parameter} of ${tool}`
  return `Send it in parts: the first now, the rest in further calls with ${way}, at most ${String(schema['maxLength'])} characters a call and ${total} in all.`
}
