import { Turn } from 'tasuki/worker'

export interface Snippet {
  /** Start of the match in code points, from 0. */
  readonly start: number
  readonly match: string
  readonly before: string
  readonly after: string
}
export interface Snippets {
  /** Number of all matches in the text, including those not shown. */
  readonly count: number
  readonly snippets: readonly Snippet[]
  /** Counting hit its time limit; `count` is a lower bound. */
  readonly partial?: true
}

/** Start and end of a match, in UTF-16 units. */
export type Span = readonly [start: number, end: number]

/** Maximum length of a match in a snippet, in code points; longer matches are truncated. */
export const MATCH_SHOWN_MAX = 500

/**
 * Time limit for counting, in milliseconds of processor time, so that a busy machine changes no count. One match takes linear time, but all
 * of them may take quadratic time. An ordinary text of the maximum length takes a tenth of this.
 */
const COUNTING_MS = 200

/** Shared by all texts, since many short ones block the event loop like a long one. */
const turn = new Turn(5)

/** Counts the matches in turns of the event loop, and cuts out the first ones with up to `context` code points on both sides. */
export async function snippetsOf(
  text: string,
  matches: Iterable<Span>,
  max: number,
  context: number,
): Promise<Snippets> {
  const snippets: Snippet[] = []
  let spent = 0
  let began = cpuMs()
  let count = 0
  let counted = 0
  let position = 0
  for (const [start, end] of matches) {
    count++
    if (snippets.length < max) {
      position += codePoints(text, counted, start)
      counted = start
      const shown = Math.min(end, skipForward(text, start, MATCH_SHOWN_MAX))
      snippets.push({
        start: position,
        match: text.slice(start, shown),
        before: text.slice(skipBackward(text, start, context), start),
        after: shown < end ? '' : text.slice(end, skipForward(text, end, context)),
      })
    }
    if (!turn.isOver()) continue
    spent += cpuMs() - began
    if (spent > COUNTING_MS) return { count, snippets, partial: true }
    await turn.next()
    began = cpuMs()
  }
  return { count, snippets }
}

/** Returns the processor time of this thread. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

function codePoints(text: string, from: number, to: number): number {
  let count = 0
  for (let index = from; index < to; index = skipForward(text, index, 1)) count++
  return count
}

/** Returns the index `count` code points later, or the end. */
function skipForward(text: string, index: number, count: number): number {
  let at = index
  for (let n = 0; n < count && at < text.length; n++) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
  return at
}

/** Returns the index `count` code points earlier, or 0. */
function skipBackward(text: string, index: number, count: number): number {
  let at = index
  for (let n = 0; n < count && at > 0; n++) {
    const pair = at > 1 && (text.codePointAt(at - 2) ?? 0) > 0xffff
    at -= pair ? 2 : 1
  }
  return at
}
