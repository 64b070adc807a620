import type { SummaryDiscussion } from '../points.ts'

/** A sentence of a discussion. */
export interface Sentence {
  /** One line, without Markdown. */
  readonly text: string
  readonly kind: SummaryDiscussion['kind']
  /** Index of its discussion, 0 = oldest. */
  readonly discussion: number
}

/** Maximum length of a sentence in code points; the rest is truncated. */
const SENTENCE_MAX = 240
/** Maximum number of sentences per discussion and in total; every pair is compared. */
const OF_ONE = 30
const OF_ALL = 200

let segmenter: Intl.Segmenter | undefined
/** The Japanese rules also end sentences at 。！？ and include the English ones; loaded on first use. */
function segments(line: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('ja', { granularity: 'sentence' })
  return segmenter.segment(line)
}

/** Returns the sentences of discussions in order; if there are too many, those of the newest discussions. */
export function sentencesOf(discussions: readonly Pick<SummaryDiscussion, 'kind' | 'body'>[]): Sentence[] {
  const found: Sentence[][] = []
  let count = 0
  for (let n = discussions.length - 1; n >= 0 && count < OF_ALL; n--) {
    const { kind, body } = discussions[n]!
    const sentences = split(body).slice(0, Math.min(OF_ONE, OF_ALL - count))
    count += sentences.length
    found.unshift(sentences.map(text => ({ text, kind, discussion: n })))
  }
  return found.flat()
}

function split(body: string): string[] {
  return plainLines(body).flatMap(line =>
    Array.from(segments(line), ({ segment }) => segment.trim())
      // Text without letters carries no information.
      .filter(text => /\p{L}/u.test(text))
      .map(text => truncate(text, SENTENCE_MAX)),
  )
}

/** Strips Markdown syntax and returns lines of text. Code is left out, since it has no sentences. */
function plainLines(markdown: string): string[] {
  return markdown
    .replace(/^[ \t]*(```+|~~~+)[^\n]*\n[^]*?(?:^[ \t]*\1[^\n]*$|(?![^]))/gm, '\n')
    .split(/\r\n?|\n/)
    .map(line =>
      line
        .replace(/^[ \t]*(?:[-*+>]|#{1,6}|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?/, '')
        .replace(/!?\[([^[\]]{0,300})\]\([^()\s]{0,2000}\)/g, '$1')
        .replace(/(\*\*|__|~~|`)/g, '')
        .replace(/\s+/gu, ' ')
        .trim(),
    )
    .filter(line => line !== '')
}

/** Truncates a text, with … at the cut. */
export function truncate(text: string, most: number): string {
  if (text.length <= most) return text
  const characters = Array.from(text.slice(0, 2 * most))
  if (characters.length <= most && text.length <= 2 * most) return text
  return `${characters
    .slice(0, most - 1)
    .join('')
    .trimEnd()}…`
}
