/** Normalizes a vector to length 1; null if it has no direction: all zeros, or numbers that are not finite or too large to square. */
export function normalize(vector: readonly number[]): number[] | null {
  let squares = 0
  // A JSON response may contain null, which would count as 0.
  for (const value of vector) squares += Number.isFinite(value) ? value * value : Number.NaN
  const length = Math.sqrt(squares)
  return length > 0 && length < Infinity ? vector.map(value => value / length) : null
}

/** Number of rotations in sequence. */
const ROUNDS = 2

/**
 * Converts a vector to one bit per number: its sign after a fixed rotation. The share of differing bits approximates the angle between two
 * vectors, even for sparse vectors, whose unrotated signs carry little information.
 */
export function quantize(vector: readonly number[]): string {
  const size = 2 ** Math.ceil(Math.log2(vector.length))
  const signs = signsOf(size)
  const values = new Float64Array(size)
  values.set(vector)
  for (let round = 0; round < ROUNDS; round++) {
    for (let n = 0; n < size; n++) values[n]! *= signs[round * size + n]!
    walshHadamard(values)
  }
  let code = ''
  for (const value of values) code += value > 0 ? '1' : '0'
  return code
}

const known = new Map<number, Int8Array>()

/** Returns fixed pseudo-random signs per round and index: 1 or -1. */
function signsOf(size: number): Int8Array {
  let signs = known.get(size)
  if (!signs) {
    signs = Int8Array.from({ length: ROUNDS * size }, (_, n) => (isFlipped(n % size, Math.floor(n / size)) ? -1 : 1))
    known.set(size, signs)
  }
  return signs
}

function isFlipped(n: number, round: number): boolean {
  let hash = Math.imul(n + 1, 0x9e37_79b1) ^ Math.imul(round + 1, 0x85eb_ca6b)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b_3c6d)
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a_2d39)
  return ((hash ^ (hash >>> 15)) & 1) === 1
}

/** Transforms in place; a rotation up to its length. */
function walshHadamard(values: Float64Array): void {
  for (let half = 1; half < values.length; half *= 2) {
    for (let start = 0; start < values.length; start += 2 * half) {
      for (let n = start; n < start + half; n++) {
        const a = values[n]!
        const b = values[n + half]!
        values[n] = a + b
        values[n + half] = a - b
      }
    }
  }
}
