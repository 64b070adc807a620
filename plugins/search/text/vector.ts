import { setImmediate } from 'node:timers/promises'
import { isStopWord, lexemes, stemOf } from './analyzer.ts'
import { tokens, type Token } from './tokens.ts'
import { mayBeMistyped } from './typos.ts'

/** What the database's text vectors can hold, below its limit of one megabyte. */
const BYTES_MAX = 900_000
/** Positions that the database keeps of one token, and the highest position that it knows. */
const POSITIONS_MAX = 255
const POSITION_MAX = 16_383
/** Tokens of a long text after which others are served: some milliseconds. */
const TURN = 2000
/** How many words of a body one of the title counts as. */
export const TITLE_WEIGHT = 2

export interface TextIndex {
  /** A text vector in the database's notation: the title with weight A, the body with weight D. */
  readonly tsv: string
  /** How long a text is for the ranking: words that say something, those of the title by their weight. */
  readonly length: number
}

/**
 * The words of a text of any length, read in turns.
 * @param vocabulary gets the words that a typo may be meant as, each with its stem
 */
export async function indexText(title: string, body: string, vocabulary?: Map<string, string>): Promise<TextIndex> {
  const reading = readIndex(title, body, vocabulary)
  for (;;) {
    const { done, value } = reading.next()
    if (done) return value
    await setImmediate()
  }
}

/** Yields where others may be served. */
function* readIndex(title: string, body: string, vocabulary?: Map<string, string>): Generator<undefined, TextIndex> {
  const found = new Map<string, string[]>()
  let bytes = 0
  let last = 0
  let length = 0
  let count = 0
  function* add(text: string, from: number, weight: string): Generator<undefined, boolean> {
    for (const token of tokens(text, from)) {
      if (++count % TURN === 0) yield
      last = token.position
      if (vocabulary) addWord(vocabulary, token)
      if (!isStopWord(token.text)) length += weight === 'A' ? TITLE_WEIGHT : 1
      for (const [lexeme, distance] of lexemes(token)) {
        let positions = found.get(lexeme)
        if (!positions) {
          bytes += 12 + 4 * lexeme.length
          found.set(lexeme, (positions = []))
        }
        if (positions.length < POSITIONS_MAX) {
          positions.push(`${Math.min(token.position + distance, POSITION_MAX)}${weight}`)
          bytes += 2
        }
        if (bytes >= BYTES_MAX) return false
      }
    }
    return true
  }
  // The gap keeps phrases from matching across title and body.
  if (yield* add(title, 0, 'A')) yield* add(body, last + 1, '')
  // Tokens have letters, marks, digits, emoji, plus and number signs only, so that quotes suffice.
  return { tsv: Array.from(found, ([text, positions]) => `'${text}':${positions.join(',')}`).join(' '), length }
}

/** Only the vector, for short texts whose length is not stored. */
export function textVector(title: string, body: string): string {
  const reading = readIndex(title, body)
  for (;;) {
    const { done, value } = reading.next()
    if (done) return value.tsv
  }
}

function addWord(vocabulary: Map<string, string>, { text: word, form }: Token): void {
  if (form === 'word' && !vocabulary.has(word) && mayBeMistyped(word)) vocabulary.set(word, stemOf(word))
}
