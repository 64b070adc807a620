const TEXT = 200
const LIST = 20
const JSON_TEXT = 2000

/** What stands in the history for a text that is too long for it. */
export interface LongText {
  /** In characters (code points). */
  readonly length: number
  readonly excerpt: string
}

/** Shortens a value for the history: texts beyond 200 characters become `LongText`, long lists are cut. */
export function shortValue(value: unknown): unknown {
  const short = shorten(value)
  if (typeof short !== 'object' || short === null) return short ?? null
  const text = JSON.stringify(short)
  return text.length > JSON_TEXT ? longText(text) : short
}

function shorten(value: unknown): unknown {
  if (typeof value === 'string') return isLong(value, TEXT) ? longText(value) : value
  if (Array.isArray(value)) {
    const kept = value.slice(0, LIST).map(shorten)
    return value.length > LIST ? [...kept, `… ${value.length - LIST} more`] : kept
  }
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shorten(member)]))
}

function longText(text: string): LongText {
  return { length: Array.from(text).length, excerpt: clip(text, TEXT) }
}

/** The first `most` characters (code points), the last of them an ellipsis if something was cut off. */
export function clip(text: string, most: number): string {
  return isLong(text, most)
    ? `${Array.from(text.slice(0, most * 2))
        .slice(0, most - 1)
        .join('')}…`
    : text
}

/** Counts code points only where UTF-16 units leave it open. */
function isLong(text: string, most: number): boolean {
  return text.length > most && (text.length > most * 2 || Array.from(text).length > most)
}
