import { normalizeText } from 'tasuki/plugin'
import type { SummaryDiscussion, SummaryProvider, SummarySource } from '../points.ts'
import { sentencesOf, truncate, type Sentence } from './sentences.ts'

type Kind = SummaryDiscussion['kind']

/** The kinds in the order of a summary, each with its weight and heading. */
const KINDS: readonly { readonly kind: Kind; readonly weight: number; readonly en: string; readonly ja: string }[] = [
  { kind: 'decision', weight: 4, en: 'Decided', ja: '決定' },
  { kind: 'fact', weight: 2, en: 'Known', ja: '事実' },
  { kind: 'progress', weight: 1, en: 'Progress', ja: '進捗' },
]
const WEIGHTS = new Map(KINDS.map(({ kind, weight }) => [kind, weight]))

/** Damping is the share of a sentence's score that comes from similar sentences, as in PageRank. */
const LEXRANK = { damping: 0.85, rounds: 30 }
/** The penalty for similarity to a picked sentence, and the cosine similarity above which two sentences count as the same. */
const REPETITION = { penalty: 0.7, same: 0.85 }
/** Sentences below this share of the median score are left out, even if there is room. */
const MIN_SCORE_SHARE = 0.25
/** Minimum number of terms in an informative sentence. */
const MIN_TERMS = 6
/** Weight of the oldest discussion, relative to 1 for the newest: later comments often supersede earlier ones. */
const OLDEST = 0.5

/**
 * Picks the most relevant sentences without a model or dictionary: LexRank (Erkan and Radev, 2004) over words and character pairs, with a
 * prior for decisions and recency, and maximal marginal relevance (Carbonell and Goldstein, 1998) against repetition.
 */
export const extractive: SummarySource = { name: 'extractive', open: () => extractiveProvider }

export const extractiveProvider: SummaryProvider = {
  name: 'extractive',
  summarize: ({ discussions, maxChars }) => Promise.resolve(summarize(discussions, maxChars)),
}

/** Summarizes discussions by kind and in their order, in at most `maxChars` code points. */
export function summarize(discussions: readonly Pick<SummaryDiscussion, 'kind' | 'body'>[], maxChars: number): string {
  const sentences = sentencesOf(discussions)
  // Bodies that contain only code or punctuation have no sentences.
  if (sentences.length === 0) return truncate((discussions.at(-1)?.body ?? '').replace(/\s+/gu, ' ').trim(), maxChars)
  const language = isJapanese(sentences) ? 'ja' : 'en'
  const taken = pickSentences(sentences, language, maxChars)
  const lines = KINDS.flatMap(({ kind, [language]: heading }) => {
    const texts = taken.filter(n => sentences[n]!.kind === kind).map(n => sentences[n]!.text)
    return texts.length === 0 ? [] : [`${heading}: ${texts.join(' ')}`]
  })
  return truncate(lines.join('\n'), maxChars)
}

function isJapanese(sentences: readonly Sentence[]): boolean {
  const text = sentences.map(sentence => sentence.text).join('')
  const kana = text.match(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu)?.length ?? 0
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0
  // A Japanese sentence has about half as many characters as an English one.
  return kana * 2 > latin
}

/** Picks the sentences to show; returns their indexes in ascending order. */
function pickSentences(sentences: readonly Sentence[], language: 'en' | 'ja', maxChars: number): number[] {
  const vectors = vectorsOf(sentences)
  const scores = rankSentences(sentences, vectors)
  const least = MIN_SCORE_SHARE * scores.toSorted((a, b) => a - b)[scores.length >> 1]!
  const taken: number[] = []
  const likeness = sentences.map(() => 0)
  const left = new Set(sentences.keys())
  const headings = new Map(KINDS.map(({ kind, [language]: heading }) => [kind, heading.length + 3]))
  let room = maxChars
  while (left.size > 0) {
    const best = findBest(left, n => scores[n]! * (1 - REPETITION.penalty * likeness[n]!))
    left.delete(best)
    const { text, kind } = sentences[best]!
    const needed = Array.from(text).length + 1 + headings.get(kind)!
    // The first sentence is always included, truncated if necessary.
    if (taken.length > 0 && (needed > room || scores[best]! < least)) continue
    room -= needed
    headings.set(kind, 0)
    taken.push(best)
    for (const n of left) {
      likeness[n] = Math.max(likeness[n]!, cosine(vectors[best]!, vectors[n]!))
      if (likeness[n] > REPETITION.same) left.delete(n)
    }
  }
  return taken.sort((a, b) => a - b)
}

function findBest(places: Iterable<number>, worthOf: (n: number) => number): number {
  let best = -1
  let bestWorth = Number.NEGATIVE_INFINITY
  for (const n of places) {
    const worth = worthOf(n)
    if (worth > bestWorth) [best, bestWorth] = [n, worth]
  }
  return best
}

/** Scores the importance of each sentence by power iteration over their similarity. */
function rankSentences(sentences: readonly Sentence[], vectors: readonly Vector[]): number[] {
  const last = Math.max(1, ...sentences.map(({ discussion }) => discussion))
  const weights = sentences.map(
    ({ kind, discussion }) => WEIGHTS.get(kind)! * (OLDEST + (1 - OLDEST) * (discussion / last)),
  )
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const prior = weights.map(weight => weight / total)
  const links = vectors.map(() => new Float64Array(vectors.length))
  vectors.forEach((vector, n) => {
    for (let k = 0; k <= n; k++) {
      const link = k === n ? 0 : cosine(vector, vectors[k]!)
      links[n]![k] = link
      links[k]![n] = link
    }
  })
  const sums = links.map(row => row.reduce((sum, link) => sum + link, 0))
  let scores = prior
  for (let round = 0; round < LEXRANK.rounds; round++) {
    const next = prior.map(() => 0)
    // A sentence without similar ones distributes its score evenly.
    let adrift = 1 - LEXRANK.damping
    scores.forEach((score, n) => {
      if (sums[n] === 0) adrift += LEXRANK.damping * score
      else links[n]!.forEach((link, k) => (next[k]! += (LEXRANK.damping * score * link) / sums[n]!))
    })
    scores = next.map((score, n) => score + adrift * prior[n]!)
  }
  // By links alone, much progress would outweigh one decision, and three words would count as much as a whole sentence.
  return scores.map((score, n) => score * WEIGHTS.get(sentences[n]!.kind)! * Math.min(1, vectors[n]!.size / MIN_TERMS))
}

type Vector = ReadonlyMap<string, number>

/** Returns unit vectors of terms by TF-IDF. */
function vectorsOf(sentences: readonly Sentence[]): Vector[] {
  const counts = sentences.map(({ text }) => termsOf(text))
  const holders = new Map<string, number>()
  for (const count of counts) for (const term of count.keys()) holders.set(term, (holders.get(term) ?? 0) + 1)
  return counts.map(count => {
    const weighed = Array.from(
      count,
      ([term, times]) => [term, times * Math.log(1 + sentences.length / holders.get(term)!)] as const,
    )
    const length = Math.hypot(...weighed.map(([, weight]) => weight))
    return new Map(weighed.map(([term, weight]) => [term, weight / length]))
  })
}

const RUNS = /([\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々]+)|([\p{L}\p{M}\p{N}]+)/gu

/** Counts words in scripts with spaces, else pairs of adjacent characters. */
function termsOf(text: string): Map<string, number> {
  const terms = new Map<string, number>()
  const add = (term: string): void => void terms.set(term, (terms.get(term) ?? 0) + 1)
  for (const [, unspaced, word] of normalizeText(text).toLowerCase().matchAll(RUNS)) {
    if (word !== undefined) add(word)
    else {
      const characters = Array.from(unspaced!)
      characters.forEach((character, n) => {
        if (n + 1 < characters.length) add(character + characters[n + 1]!)
        else if (n === 0) add(character)
      })
    }
  }
  return terms
}

function cosine(a: Vector, b: Vector): number {
  const [few, many] = a.size < b.size ? [a, b] : [b, a]
  let sum = 0
  for (const [term, weight] of few) sum += weight * (many.get(term) ?? 0)
  return sum
}
