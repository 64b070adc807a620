import { setImmediate } from 'node:timers/promises'
import type { Vector } from './likeness.ts'

/** Squared relative error at which the solution counts as exact. */
const EXACT = 1e-8
/** Maximum number of iterations; about twenty are usual. */
const STEPS_MAX = 60

/** Values to regress on terms, with one row per text. */
export interface Sample {
  readonly vectors: readonly Vector[]
  /** Number of distinct terms. */
  readonly terms: number
  /** `width` values per text, row by row. */
  readonly values: Float64Array
  readonly width: number
  /** Regularization per text; less for a text with more weight. */
  readonly ridges: Float64Array
}

/**
 * Solves a ridge regression of several values at once, by conjugate gradients in the dual form: it builds no matrix of texts by texts, and
 * an iteration takes a millisecond or two for a thousand texts. Yields to the event loop between iterations.
 * @returns `width` coefficients per term, row by row
 */
export async function regress(sample: Sample): Promise<Float64Array> {
  const { vectors, values, width, ridges } = sample
  const size = vectors.length * width
  const solution = new Float64Array(size)
  const rest = Float64Array.from(values)
  const scaled = new Float64Array(size)
  const direction = new Float64Array(size)
  const scale = (): void => {
    for (let k = 0; k < size; k++) scaled[k] = rest[k]! / (1 + ridges[Math.floor(k / width)]!)
  }
  scale()
  direction.set(scaled)
  let errors = products(rest, scaled, width)
  const enough = errors.map(error => error * EXACT)
  for (let step = 0; step < STEPS_MAX && errors.some((error, n) => error > enough[n]!); step++) {
    const image = applyTo(sample, direction)
    const lengths = products(direction, image, width)
    for (let k = 0; k < size; k++) {
      const n = k % width
      const factor = lengths[n]! > 0 ? errors[n]! / lengths[n]! : 0
      solution[k]! += factor * direction[k]!
      rest[k]! -= factor * image[k]!
    }
    scale()
    const next = products(rest, scaled, width)
    for (let k = 0; k < size; k++) {
      const n = k % width
      direction[k] = scaled[k]! + (errors[n]! > 0 ? next[n]! / errors[n]! : 0) * direction[k]!
    }
    errors = next
    await setImmediate()
  }
  return byTerm(sample, solution)
}

/** Applies the Gram matrix of the texts plus the ridge to `width` values per text. */
function applyTo(sample: Sample, values: Float64Array): Float64Array {
  const { vectors, width, ridges } = sample
  const sums = byTerm(sample, values)
  const image = new Float64Array(values.length)
  for (const [place, vector] of vectors.entries()) {
    const at = place * width
    addTerms(vector, sums, image.subarray(at, at + width))
    for (let n = 0; n < width; n++) image[at + n]! += ridges[place]! * values[at + n]!
  }
  return image
}

/** Sums values of texts by term. */
function byTerm({ vectors, terms, width }: Sample, values: Float64Array): Float64Array {
  const sums = new Float64Array(terms * width)
  for (const [place, vector] of vectors.entries())
    for (let k = 0; k < vector.terms.length; k++) {
      const [from, to, weight] = [place * width, vector.terms[k]! * width, vector.weights[k]!]
      for (let n = 0; n < width; n++) sums[to + n]! += weight * values[from + n]!
    }
  return sums
}

/** Adds the sums of a text's terms, `width` values per term. */
export function addTerms({ terms, weights }: Vector, sums: Float64Array, into: Float64Array): void {
  const width = into.length
  for (let k = 0; k < terms.length; k++) {
    const [from, weight] = [terms[k]! * width, weights[k]!]
    for (let n = 0; n < width; n++) into[n]! += weight * sums[from + n]!
  }
}

/** Returns the dot products of the columns. */
function products(a: Float64Array, b: Float64Array, width: number): Float64Array {
  const sums = new Float64Array(width)
  for (let k = 0; k < a.length; k++) sums[k % width]! += a[k]! * b[k]!
  return sums
}
