import type { SummaryDiscussion } from '../points.ts'

/** A sentence of a discussion. */
export interface Sentence {
  /** One line, without Markdown. */
  readonly text: string
  readonly kind: SummaryDiscussion['kind']
  /** Place of its discussion, 0 = oldest. */
  readonly discussion: number
}

/** Code points of the longest sentence; more of it is cut. */
const SENTENCE_MAX = 240
/** Sentences of one discussion and of all; each is compared with each. */
const OF_ONE = 30
const OF_ALL = 200

let segmenter: Intl.Segmenter | undefined
/** Japanese rules end sentences at 。！？ too, and know the English ones; they are loaded with the first text. */
function segments(line: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('ja', { granularity: 'sentence' })
  return segmenter.segment(line)
}

/** The sentences of discussions in their order; where there are too many, those of the newest. */
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
      // What has no letter says nothing by itself.
      .filter(text => /\p{L}/u.test(text))
      .map(text => cut(text, SENTENCE_MAX)),
  )
}

/** Lines of text without Markdown syntax. Code is left out, since it has no sentences. */
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

/** The beginning of a text, with … where something was left out. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text
  const characters = Array.from(text.slice(0, 2 * most))
  if (characters.length <= most && text.length <= 2 * most) return text
  return `${characters
    .slice(0, most - 1)
    .join('')
    .trimEnd()}…`
}
