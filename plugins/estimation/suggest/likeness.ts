import { setImmediate } from 'node:timers/promises'
import { tokens } from '../../search/index.ts'

/** Characters of a body that are compared: it begins with the subject, and logs and quotations follow. */
export const BODY_COMPARED = 200
/** How much more a word of the title says than one of the body. */
const TITLE_WEIGHT = 2

/** Texts after which others get their turn: a few milliseconds. */
const AT_ONCE = 100

/** A text as numbers: what it is compared by, of length 1. */
interface Vector {
  readonly terms: Int32Array
  readonly weights: Float64Array
}

export interface ItemText {
  readonly title: string
  readonly detail: string
}

/** Texts to compare others with; each kind of word counts by how rare it is among them. */
export interface Corpus {
  /** By text of the corpus, how alike it is to another one, from 0 to 1 (cosine). */
  likenessTo(text: ItemText): Float64Array
  /** The same for a text of the corpus; its likeness to itself is 1. */
  likenessWithin(place: number): Float64Array
}

/** Prepares texts for being compared with others; others may use the process meanwhile. */
export async function corpusOf(texts: readonly ItemText[]): Promise<Corpus> {
  const ids = new Map<string, number>()
  const counted: Map<string, number>[] = []
  const seen: number[] = []
  for (const text of texts) {
    if (counted.length % AT_ONCE === AT_ONCE - 1) await setImmediate()
    const counts = countsOf(text)
    counted.push(counts)
    for (const token of counts.keys()) {
      const id = ids.get(token) ?? ids.size
      ids.set(token, id)
      seen[id] = (seen[id] ?? 0) + 1
    }
  }
  const rarity = Float64Array.from(seen, count => Math.log((texts.length + 1) / (count + 0.5)))
  const vectors = counted.map(counts => vectorOf(counts, ids, rarity))
  const postings = invert(vectors, seen)
  const likeness = (vector: Vector): Float64Array => {
    const sums = new Float64Array(texts.length)
    vector.terms.forEach((term, n) => {
      const { places, weights } = postings[term]!
      const weight = vector.weights[n]!
      for (let k = 0; k < places.length; k++) sums[places[k]!]! += weight * weights[k]!
    })
    return sums
  }
  return {
    likenessTo: text => likeness(vectorOf(countsOf(text), ids, rarity)),
    likenessWithin: place => likeness(vectors[place]!),
  }
}

function countsOf({ title, detail }: ItemText): Map<string, number> {
  const counts = new Map<string, number>()
  const add = (text: string, weight: number): void => {
    for (const token of wordsOf(text)) counts.set(token, (counts.get(token) ?? 0) + weight)
  }
  add(title, TITLE_WEIGHT)
  add(detail.slice(0, BODY_COMPARED), 1)
  return counts
}

/** Words, and pairs of characters where a script has no spaces; an English plural counts as its singular. */
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

interface Posting {
  readonly places: Int32Array
  readonly weights: Float64Array
}

/** By term, the texts that have it. */
function invert(vectors: readonly Vector[], seen: readonly number[]): readonly Posting[] {
  const postings = seen.map(count => ({ places: new Int32Array(count), weights: new Float64Array(count) }))
  const filled = new Int32Array(seen.length)
  vectors.forEach(({ terms, weights }, place) => {
    terms.forEach((term, n) => {
      const { places, weights: own } = postings[term]!
      const at = filled[term]!++
      places[at] = place
      own[at] = weights[n]!
    })
  })
  return postings
}
