import { Turn } from 'tasuki/plugin'
import { isStopWord, lexemesOf, stemOf, type Lexemes } from './analyzer.ts'
import { runsIn, tokens } from './tokens.ts'
import { mayBeMistyped } from './typos.ts'

/** Maximum size of a text vector in bytes, below the database's limit of one megabyte. */
const BYTES_MAX = 900_000
/** The highest position of the database. */
const POSITION_MAX = 16_383
/** Tokens of a long text between two checks of the time and of the size. */
const TOKENS_PER_TURN = 2000
/** Shared by all texts, since many short ones block the event loop like a long one. One millisecond, for a call that waits. */
const turn = new Turn(1)
/** Weight of a word in the title, relative to one in the body. */
export const TITLE_WEIGHT = 2

export interface TextIndex {
  /** A text vector in the database's notation: the title with weight A, the body with weight D. */
  readonly tsv: string
  /** Text length for the ranking: the number of content words, with those of the title by their weight. */
  readonly length: number
  /** Words that a typo may stand for, each with its stem. */
  readonly words: readonly KnownWord[]
}
type KnownWord = readonly [word: string, stem: string]

/** Indexes the words of a text of any length, and yields to the event loop. */
export async function indexText(title: string, body: string): Promise<TextIndex> {
  const reading = readIndex(title, body)
  for (;;) {
    if (turn.isOver()) await turn.next()
    const { done, value } = reading.next()
    if (done) return value
  }
}

/** Yields where the event loop may run. */
function* readIndex(title: string, body: string): Generator<undefined, TextIndex> {
  const found = new Map<string, string>()
  const vocabulary: KnownWord[] = []
  let bytes = 0
  let start = 0
  let length = 0
  let count = 0
  function* addRuns(runs: ReadonlyMap<IndexedRun, readonly number[]>, weight: string): Generator<undefined, boolean> {
    for (const [{ words }, starts] of runs) {
      for (const { lexemes, position, counts, known } of words) {
        if (++count % TOKENS_PER_TURN === 0) yield
        if (known !== null) vocabulary.push(known)
        if (counts) length += starts.length * (weight === 'A' ? TITLE_WEIGHT : 1)
        for (const { distance, texts } of lexemes) {
          const places = starts.map(at => `${Math.min(at + position + distance, POSITION_MAX)}${weight}`).join()
          for (const lexeme of texts) {
            const former = found.get(lexeme)
            bytes += 2 * starts.length + (former === undefined ? 12 + 4 * lexeme.length : 0)
            found.set(lexeme, former === undefined ? places : `${former},${places}`)
          }
          if (bytes >= BYTES_MAX) return false
        }
      }
    }
    return true
  }
  function* add(text: string, weight: string): Generator<undefined, boolean> {
    // The positions before each run: equal runs are added together, for parts of a long text.
    const runs = new Map<IndexedRun, number[]>()
    let added = start
    for (const run of runsIn(text)) {
      const indexed = recent.get(run) ?? (yield* indexRun(run))
      const starts = runs.get(indexed)
      if (starts) starts.push(start)
      else runs.set(indexed, [start])
      start += indexed.span
      if (start - added < TOKENS_PER_TURN) continue
      if (!(yield* addRuns(runs, weight))) return false
      yield
      runs.clear()
      added = start
    }
    return yield* addRuns(runs, weight)
  }
  // The gap prevents phrases from matching across title and body.
  const isComplete = yield* add(title, 'A')
  start++
  if (isComplete) yield* add(body, '')
  // Tokens contain only letters, marks, digits, emoji, plus and number signs, so quotes suffice.
  return { tsv: Array.from(found, ([lexeme, places]) => `'${lexeme}':${places}`).join(' '), length, words: vocabulary }
}

/** Returns only the vector, for short texts whose length is not stored. */
export function textVector(title: string, body: string): string {
  const reading = readIndex(title, body)
  for (;;) {
    const { done, value } = reading.next()
    if (done) return value.tsv
  }
}

interface IndexedWord {
  readonly lexemes: readonly Lexemes[]
  /** From 1, within the run. */
  readonly position: number
  /** Whether it adds to the length of its text. */
  readonly counts: boolean
  /** The word as a possible correction. */
  readonly known: KnownWord | null
}

/** A word, or a run of unspaced characters, as indexed in any text. */
interface IndexedRun {
  readonly words: readonly IndexedWord[]
  /** Number of positions that it takes. */
  readonly span: number
}

/** Indexes a run, and yields within long ones: a text without a space or a stop is a single run. */
function* indexRun(run: string): Generator<undefined, IndexedRun> {
  let indexed = former.get(run)
  if (!indexed) {
    const words: IndexedWord[] = []
    let span = 0
    if (run.length > TOKENS_PER_TURN) yield
    for (const token of tokens(run)) {
      const { text: word, form, position, parts = [] } = token
      span = position + Math.max(parts.length - 1, 0)
      const known = form === 'word' && mayBeMistyped(word) ? ([word, stemOf(word)] as const) : null
      words.push({ lexemes: lexemesOf(token), position, counts: !isStopWord(word), known })
      if (words.length % TOKENS_PER_TURN === 0) yield
    }
    indexed = { words, span }
  }
  if (run.length <= RUN_LENGTH_MAX) {
    if (recent.size >= RUNS_MAX) [former, recent] = [recent, new Map()]
    recent.set(run, indexed)
  }
  return indexed
}

/** Cache of runs, since texts share most of their words; rare ones are dropped with the former half. */
let recent = new Map<string, IndexedRun>()
let former: ReadonlyMap<string, IndexedRun> = new Map()
const RUNS_MAX = 10_000
/** Maximum length of a cached run: sentences without spaces seldom recur. */
const RUN_LENGTH_MAX = 32
