export interface Snippet {
  /** Where the match begins, in code points from 0. */
  readonly start: number
  readonly match: string
  readonly before: string
  readonly after: string
}
export interface Snippets {
  /** All matches of the text, not only those shown. */
  readonly count: number
  readonly snippets: readonly Snippet[]
  /** Counting took too long and stopped early; `count` is what was found until then. */
  readonly partial?: true
}

/** Start and end of a match, in UTF-16 units. */
export type Span = readonly [start: number, end: number]

/** A longer match is shown by its beginning; in code points. */
export const MATCH_SHOWN_MAX = 500

/**
 * Finding one match takes linear time, but finding all of them may not: each may look ahead to the end.
 * An ordinary text of the greatest length takes a tenth of this.
 */
const COUNTING_MS = 200

/** Counts the matches and cuts out the first of them with up to `context` code points on both sides. */
export function snippetsOf(text: string, matches: Iterable<Span>, max: number, context: number): Snippets {
  const snippets: Snippet[] = []
  const deadline = performance.now() + COUNTING_MS
  let count = 0
  let counted = 0
  let position = 0
  for (const [start, end] of matches) {
    count++
    if (snippets.length < max) {
      position += codePoints(text, counted, start)
      counted = start
      const shown = Math.min(end, forward(text, start, MATCH_SHOWN_MAX))
      snippets.push({
        start: position,
        match: text.slice(start, shown),
        before: text.slice(backward(text, start, context), start),
        after: shown < end ? '' : text.slice(end, forward(text, end, context)),
      })
    }
    if (performance.now() > deadline) return { count, snippets, partial: true }
  }
  return { count, snippets }
}

function codePoints(text: string, from: number, to: number): number {
  let count = 0
  for (let index = from; index < to; index = forward(text, index, 1)) count++
  return count
}

/** The index that lies `count` code points further on, or the end. */
function forward(text: string, index: number, count: number): number {
  let at = index
  for (let n = 0; n < count && at < text.length; n++) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
  return at
}

/** The index that lies `count` code points before, or 0. */
function backward(text: string, index: number, count: number): number {
  let at = index
  for (let n = 0; n < count && at > 0; n++) {
    const pair = at > 1 && (text.codePointAt(at - 2) ?? 0) > 0xffff
    at -= pair ? 2 : 1
  }
  return at
}
