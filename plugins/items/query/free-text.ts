import { nearest, normalizeText, ToolError } from 'tasuki/plugin'
import type { Reading } from './cursor.ts'
import type { Expr } from './expr.ts'
import type { ItemFilter } from './filter.ts'
import { parseQuery } from './parse.ts'

/** A parsed text that may contain filters; input that is not valid syntax is read as words. */
export interface FreeText {
  readonly expr: Expr
  /** Texts that look like syntax but were read as words, for a warning. */
  readonly asWords: readonly string[]
}

/** From this number of words on, a text is a sentence, and an invalid filter value is more likely ordinary text. */
const SENTENCE = 3
/** Minimum length of a fragment that counts as the beginning of a key. */
const PART = 4

/**
 * Parses free text with filters. Unknown keys, unpaired brackets and quotes, and operators without operands become words. A key that
 * resembles a known one stays a term, so that its error shows the right key.
 * @throws ToolError `limit_exceeded` for a text that is too long
 */
function parseFreeText(text: string, filters: readonly ItemFilter[]): FreeText {
  const isFilter = (key: string) => isKnown(key, filters) || isMistyped(key, filters)
  const readings = [
    { flat: false, isFilter },
    { flat: true, isFilter },
  ]
  for (const reading of readings) {
    try {
      return read(text, reading)
    } catch (error) {
      if (!isInvalid(error)) throw error
    }
  }
  return readWords(text)
}

/**
 * Compiles free text. If a sentence contains an invalid filter value, the whole text becomes words.
 * @throws ToolError `invalid_query` for a mistyped key, or for an invalid value next to fewer than three words
 */
export function compileFreeText<T>(
  text: string,
  filters: readonly ItemFilter[],
  compile: (expr: Expr) => T,
): FreeText & { readonly compiled: T } {
  const free = parseFreeText(text, filters)
  try {
    return { ...free, compiled: compile(free.expr) }
  } catch (error) {
    const parts = partsOf(free.expr)
    const known = parts.every(part => part.kind !== 'term' || isKnown(part.key, filters))
    if (!isInvalid(error) || !isSentence(parts) || !known) throw error
    const words = readWords(text)
    return { ...words, compiled: compile(words.expr) }
  }
}

const readWords = (text: string): FreeText => read(text, { flat: true, isFilter: () => false })

function read(text: string, reading: Omit<Reading, 'asWords'>): FreeText {
  const asWords: string[] = []
  const parts = withoutOperators(partsOf(parseQuery(text, 'q', { ...reading, asWords })), text, asWords)
  const marks = reading.flat ? /[()"]/g : /[()]/g
  // Brackets around alternatives or exclusions are more than spaces.
  if (reading.flat || parts.every(({ kind }) => kind === 'word' || kind === 'term'))
    for (const [mark] of normalizeText(text).matchAll(marks)) asWords.push(mark)
  return { expr: { kind: 'and', parts, at: 1 }, asWords: [...new Set(asWords)] }
}

/** Returns whether there are so many words that operators and quotes among them may be ordinary text. */
export function isSentence(parts: readonly { readonly kind: Expr['kind'] }[]): boolean {
  return parts.filter(({ kind }) => kind === 'word').length >= SENTENCE
}

/**
 * In a sentence, an upper-case NOT is an emphasized word, and a minus between words an option of a command or a dash. A minus before the
 * first or after the last word excludes, as does one before a quoted text or a filter.
 */
function withoutOperators(parts: readonly Expr[], text: string, asWords: string[]): readonly Expr[] {
  if (!isSentence(parts)) return parts
  const characters = Array.from(text)
  const isWord = ({ kind }: Expr): boolean => kind === 'word'
  const [first, last] = [parts.findIndex(isWord), parts.findLastIndex(isWord)]
  return parts.flatMap((part, n): readonly Expr[] => {
    if (part.kind !== 'not') return [part]
    if (characters[part.at - 1]?.normalize('NFKC') === 'N') {
      asWords.push('NOT')
      return [{ kind: 'word', text: 'NOT', at: part.at }, ...partsOf(part.part)]
    }
    const excluded = part.part
    if (n < first || n > last || excluded.kind !== 'word') return [part]
    asWords.push(`-${excluded.text}`)
    return [excluded]
  })
}

/** Flattens nested `and` expressions. */
function partsOf(expr: Expr): readonly Expr[] {
  return expr.kind === 'and' ? expr.parts.flatMap(partsOf) : [expr]
}

function isInvalid(error: unknown): boolean {
  return (
    error instanceof ToolError && (error.code === 'invalid_query' || error.help.details?.['position'] !== undefined)
  )
}

function isKnown(key: string, filters: readonly ItemFilter[]): boolean {
  return filters.some(filter => (filter.family === true ? key.startsWith(`${filter.key}.`) : key === filter.key))
}

function isMistyped(key: string, filters: readonly ItemFilter[]): boolean {
  const close = nearest(
    key,
    filters.map(filter => filter.key),
  )
  return close !== null && Math.min(key.length, close.length) >= PART
}
