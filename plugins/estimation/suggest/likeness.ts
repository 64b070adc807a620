import { setImmediate } from 'node:timers/promises'
import { tokens } from '../../search/index.ts'

/** Number of characters of a body that are compared: bodies begin with the subject, and logs and quotations follow. */
export const BODY_COMPARED = 200
/** Weight of a word in the title, relative to one in the body. */
const TITLE_WEIGHT = 2

/** Texts between two yields to the event loop: a few milliseconds. */
const BATCH_SIZE = 100

/** A text as a sparse vector of length 1. */
export interface Vector {
  readonly terms: Int32Array
  readonly weights: Float64Array
}

export interface ItemText {
  readonly title: string
  readonly detail: string
  /** Further properties, each as a term that no text contains: kind, parent. */
  readonly facts?: readonly string[]
}

/** Texts with vectors; each term is weighted by its rarity among them. */
export interface Corpus {
  /** Vectors in the order of the texts. */
  readonly vectors: readonly Vector[]
  /** Number of distinct terms, numbered from 0. */
  readonly terms: number
  /** Returns the vector of another text by the terms of the corpus. */
  vectorOf(text: ItemText): Vector
}

/** Computes the vectors of texts, and yields to the event loop. @param countsOf returns the terms of a text */
export async function corpusOf(
  texts: readonly ItemText[],
  countsOf: (text: ItemText) => Map<string, number> = countTerms,
): Promise<Corpus> {
  const ids = new Map<string, number>()
  const counted: Map<string, number>[] = []
  const seen: number[] = []
  for (const text of texts) {
    if (counted.length % BATCH_SIZE === BATCH_SIZE - 1) await setImmediate()
    const counts = countsOf(text)
    counted.push(counts)
    for (const token of counts.keys()) {
      const id = ids.get(token) ?? ids.size
      ids.set(token, id)
      seen[id] = (seen[id] ?? 0) + 1
    }
  }
  await setImmediate()
  const rarity = Float64Array.from(seen, count => Math.log((texts.length + 1) / (count + 0.5)))
  return {
    vectors: counted.map(counts => vectorOf(counts, ids, rarity)),
    terms: ids.size,
    vectorOf: text => vectorOf(countsOf(text), ids, rarity),
  }
}

/** Returns the cosine similarity of each text to another one, from 0 to 1. */
export function likenessTo({ vectors, terms: size }: Corpus, other: Vector): Float64Array {
  const weightOf = new Float64Array(size)
  other.terms.forEach((term, n) => (weightOf[term] = other.weights[n]!))
  const productWith = ({ terms, weights }: Vector): number =>
    terms.reduce((sum, term, n) => sum + weights[n]! * weightOf[term]!, 0)
  return Float64Array.from(vectors, vector => Math.min(1, productWith(vector)))
}

/** Returns the terms of a text with their weights. */
export function countTerms({ title, detail, facts = [] }: ItemText, body = BODY_COMPARED): Map<string, number> {
  const counts = new Map<string, number>()
  const add = (token: string, weight: number): void => void counts.set(token, (counts.get(token) ?? 0) + weight)
  let first = true
  for (const token of wordsOf(title)) {
    // Titles begin with a component ("Forum: …") or with a verb.
    if (first) add(`first ${token}`, TITLE_WEIGHT)
    first = false
    add(token, TITLE_WEIGHT)
  }
  for (const token of wordsOf(detail.slice(0, body))) add(token, 1)
  for (const fact of facts) add(`fact ${fact}`, TITLE_WEIGHT)
  return counts
}

/** Yields words, and character pairs in scripts without spaces; an English plural counts as its singular. */
function* wordsOf(text: string): Generator<string> {
  for (const { text: word, form, alone } of tokens(text)) {
    if (form === 'single' && !alone) continue
    yield form === 'word' && word.endsWith('s') && /^\p{L}{3,}[^s]s$/u.test(word) ? word.slice(0, -1) : word
  }
}

function vectorOf(counts: ReadonlyMap<string, number>, ids: ReadonlyMap<string, number>, rarity: Float64Array): Vector {
  const terms = new Int32Array(counts.size)
  const weights = new Float64Array(counts.size)
  let size = 0
  let square = 0
  for (const [token, count] of counts) {
    const id = ids.get(token)
    if (id === undefined || rarity[id]! <= 0) continue
    const weight = (1 + Math.log(count)) * rarity[id]!
    terms[size] = id
    weights[size++] = weight
    square += weight * weight
  }
  const length = Math.sqrt(square) || 1
  for (let n = 0; n < size; n++) weights[n]! /= length
  return { terms: terms.subarray(0, size), weights: weights.subarray(0, size) }
}
