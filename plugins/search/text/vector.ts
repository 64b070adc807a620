import { setImmediate } from 'node:timers/promises'
import { isStopWord, lexemes, stemOf } from './analyzer.ts'
import { tokens, type Token } from './tokens.ts'
import { mayBeMistyped } from './typos.ts'

/** Maximum size of a text vector in bytes, below the database's limit of one megabyte. */
const BYTES_MAX = 900_000
/** Maximum number of positions per token, and the highest position, of the database. */
const POSITIONS_MAX = 255
const POSITION_MAX = 16_383
/** Tokens between two yields to the event loop: some milliseconds. */
const TOKENS_PER_TURN = 2000
/** Weight of a word in the title, relative to one in the body. */
export const TITLE_WEIGHT = 2

export interface TextIndex {
  /** A text vector in the database's notation: the title with weight A, the body with weight D. */
  readonly tsv: string
  /** Text length for the ranking: the number of content words, with those of the title by their weight. */
  readonly length: number
}

/**
 * Indexes the words of a text of any length, and yields to the event loop.
 * @param vocabulary collects the words that a typo may stand for, each with its stem
 */
export async function indexText(title: string, body: string, vocabulary?: Map<string, string>): Promise<TextIndex> {
  const reading = readIndex(title, body, vocabulary)
  for (;;) {
    const { done, value } = reading.next()
    if (done) return value
    await setImmediate()
  }
}

/** Yields where the event loop may run. */
function* readIndex(title: string, body: string, vocabulary?: Map<string, string>): Generator<undefined, TextIndex> {
  const found = new Map<string, string[]>()
  let bytes = 0
  let last = 0
  let length = 0
  let count = 0
  function* add(text: string, from: number, weight: string): Generator<undefined, boolean> {
    for (const token of tokens(text, from)) {
      if (++count % TOKENS_PER_TURN === 0) yield
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
  // The gap prevents phrases from matching across title and body.
  if (yield* add(title, 0, 'A')) yield* add(body, last + 1, '')
  // Tokens contain only letters, marks, digits, emoji, plus and number signs, so quotes suffice.
  return { tsv: Array.from(found, ([text, positions]) => `'${text}':${positions.join(',')}`).join(' '), length }
}

/** Returns only the vector, for short texts whose length is not stored. */
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
