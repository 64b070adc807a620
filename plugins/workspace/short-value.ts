import { clip, countCharacters, isLonger } from 'tasuki/plugin'

const TEXT = 200
const LIST = 20
const JSON_TEXT = 2000

/** Replaces a text that is too long for the history. */
export interface LongText {
  /** In characters (code points). */
  readonly length: number
  readonly excerpt: string
}

/** Shortens a value for the history: texts beyond 200 characters become `LongText`, long lists are truncated. */
export function shortValue(value: unknown): unknown {
  const short = shorten(value)
  if (typeof short !== 'object' || short === null) return short ?? null
  const text = JSON.stringify(short)
  return text.length > JSON_TEXT ? longText(text) : short
}

function shorten(value: unknown): unknown {
  if (typeof value === 'string') return isLonger(value, TEXT) ? longText(value) : value
  if (Array.isArray(value)) {
    const kept = value.slice(0, LIST).map(shorten)
    return value.length > LIST ? [...kept, `… ${value.length - LIST} more`] : kept
  }
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shorten(member)]))
}

function longText(text: string): LongText {
  return { length: countCharacters(text), excerpt: clip(text, TEXT) }
}
