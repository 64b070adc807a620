import stem from 'wink-porter2-stemmer'
import type { Collection } from './collections.ts'

/** The usual constants of BM25. */
const [K1, B] = [1.2, 0.75]

/** Lucene's stop words, so that the baseline does not change with the service's list. */
const STOP_WORDS = new Set(
  'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with'.split(
    ' ',
  ),
)
/** Additional stop words for questions. */
const QUESTION_WORDS = new Set('what which who whom when where why how do does did has have had from'.split(' '))

/**
 * Indexes notes with BM25: stems and stop words for English, character bigrams for Japanese. @returns a function that finds the ten best
 * notes for a question
 */
export function bm25({ notes, language }: Pick<Collection, 'notes' | 'language'>): (question: string) => number[] {
  const split = language === 'en' ? englishTerms : japaneseTerms
  const postings = new Map<string, Map<number, number>>()
  const lengths = notes.map(({ title, detail }, n) => {
    const terms = split(`${title}\n${detail}`)
    for (const term of terms) {
      const found = postings.get(term) ?? new Map<number, number>()
      postings.set(term, found.set(n, (found.get(n) ?? 0) + 1))
    }
    return terms.length
  })
  const mean = lengths.reduce((sum, length) => sum + length, 0) / notes.length
  return question => {
    const scores = new Map<number, number>()
    for (const term of new Set(split(question))) {
      const found = postings.get(term) ?? new Map<number, number>()
      const idf = Math.log(1 + (notes.length - found.size + 0.5) / (found.size + 0.5))
      for (const [n, count] of found) {
        const score = (idf * count * (K1 + 1)) / (count + K1 * (1 - B + (B * lengths[n]!) / mean))
        scores.set(n, (scores.get(n) ?? 0) + score)
      }
    }
    return [...scores]
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, 10)
      .map(([n]) => n)
  }
}

function englishTerms(text: string): string[] {
  const words =
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  return words.filter(word => !STOP_WORDS.has(word) && !QUESTION_WORDS.has(word)).map(word => stem(word))
}

function japaneseTerms(text: string): string[] {
  const runs =
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}ー]+/gu) ?? []
  return runs.flatMap(run =>
    run.length === 1 ? [run] : Array.from({ length: run.length - 1 }, (_, n) => run.slice(n, n + 2)),
  )
}
