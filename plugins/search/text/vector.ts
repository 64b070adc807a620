import { setImmediate } from 'node:timers/promises'
import { isStopWord, lexemes, stemOf } from './analyzer.ts'
import { runsIn, tokens } from './tokens.ts'
import { mayBeMistyped } from './typos.ts'

/** Maximum size of a text vector in bytes, below the database's limit of one megabyte. */
const BYTES_MAX = 900_000
/** Maximum number of positions per token, and the highest position, of the database. */
const POSITIONS_MAX = 255
const POSITION_MAX = 16_383
/** Tokens of a long text between two checks of the time. */
const TOKENS_PER_TURN = 2000
/** Milliseconds between two yields to the event loop. */
const TURN_MS = 5
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
    // Counted over all texts: many short ones block the event loop like a long one.
    if (performance.now() - servedAt > TURN_MS) {
      await setImmediate()
      servedAt = performance.now()
    }
    const { done, value } = reading.next()
    if (done) return value
  }
}

/** Time of the last yield. */
let servedAt = 0

/** Positions of a token in a text. */
interface Positions {
  count: number
  text: string
}

/** Yields where the event loop may run. */
function* readIndex(title: string, body: string, vocabulary?: Map<string, string>): Generator<undefined, TextIndex> {
  const found = new Map<string, Positions>()
  let bytes = 0
  let last = 0
  let length = 0
  let count = 0
  function* add(text: string, from: number, weight: string): Generator<undefined, boolean> {
    let start = from
    for (const run of runsIn(text)) {
      const { words, span } = indexedRun(run)
      for (const { lexemes, position, counts, typo } of words) {
        if (++count % TOKENS_PER_TURN === 0) yield
        last = start + position
        if (vocabulary && typo !== null) vocabulary.set(typo.word, typo.stem)
        if (counts) length += weight === 'A' ? TITLE_WEIGHT : 1
        for (const [lexeme, distance] of lexemes) {
          const place = `${Math.min(last + distance, POSITION_MAX)}${weight}`
          const positions = found.get(lexeme)
          if (!positions) {
            bytes += 14 + 4 * lexeme.length
            found.set(lexeme, { count: 1, text: place })
          } else if (positions.count < POSITIONS_MAX) {
            positions.count++
            positions.text += `,${place}`
            bytes += 2
          }
          if (bytes >= BYTES_MAX) return false
        }
      }
      start += span
    }
    return true
  }
  // The gap prevents phrases from matching across title and body.
  if (yield* add(title, 0, 'A')) yield* add(body, last + 1, '')
  // Tokens contain only letters, marks, digits, emoji, plus and number signs, so quotes suffice.
  return { tsv: Array.from(found, ([text, positions]) => `'${text}':${positions.text}`).join(' '), length }
}

/** Returns only the vector, for short texts whose length is not stored. */
export function textVector(title: string, body: string): string {
  const reading = readIndex(title, body)
  for (;;) {
    const { done, value } = reading.next()
    if (done) return value.tsv
  }
}

/** A word, or a run of unspaced characters, as indexed in any text. */
interface IndexedRun {
  readonly words: readonly {
    readonly lexemes: readonly (readonly [lexeme: string, distance: number])[]
    /** From 1, within the run. */
    readonly position: number
    /** Whether it adds to the length of its text. */
    readonly counts: boolean
    /** Entry of the vocabulary of possible corrections. */
    readonly typo: { readonly word: string; readonly stem: string } | null
  }[]
  /** Number of positions that it takes. */
  readonly span: number
}

function indexedRun(run: string): IndexedRun {
  const known = recent.get(run)
  if (known) return known
  const indexed = former.get(run) ?? indexRun(run)
  if (run.length <= RUN_LENGTH_MAX) {
    if (recent.size >= RUNS_MAX) [former, recent] = [recent, new Map()]
    recent.set(run, indexed)
  }
  return indexed
}

function indexRun(run: string): IndexedRun {
  let span = 0
  const words = Array.from(tokens(run), token => {
    span = token.position + Math.max((token.parts?.length ?? 0) - 1, 0)
    const { text: word, form, position } = token
    const typo = form === 'word' && mayBeMistyped(word) ? { word, stem: stemOf(word) } : null
    return { lexemes: [...lexemes(token)], position, counts: !isStopWord(word), typo }
  })
  return { words, span }
}

/** Cache of runs, since texts share most of their words; rare ones are dropped with the former half. */
let recent = new Map<string, IndexedRun>()
let former: ReadonlyMap<string, IndexedRun> = new Map()
const RUNS_MAX = 10_000
/** Maximum length of a cached run: sentences without spaces seldom recur. */
const RUN_LENGTH_MAX = 32
