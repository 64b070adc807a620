/** Random choices that depend only on a seed. */
export interface Random {
  /** From 0 to below `limit`. */
  below(limit: number): number
  pick<T>(list: readonly T[]): T
  /** A value with this probability, otherwise undefined. */
  maybe<T>(probability: number, value: () => T): T | undefined
  /** Up to `most` distinct elements. */
  some<T>(list: readonly T[], most: number): T[]
  shuffle<T>(list: readonly T[]): T[]
}

/** Numbers from 0 to below 1. */
export type SeededRandom = () => number

/** Returns a generator of the same pseudo-random numbers in every run (mulberry32). */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export function randomOf(seed: number): Random {
  const number = seededRandom(seed)
  const below = (limit: number): number => Math.floor(number() * limit)
  const pick = <T>(list: readonly T[]): T => list[below(list.length)]!
  return {
    below,
    pick,
    maybe: (probability, value) => (number() < probability ? value() : undefined),
    some: (list, most) => [...new Set(Array.from({ length: below(most + 1) }, () => pick(list)))],
    shuffle: list =>
      list
        .map(each => [number(), each] as const)
        .toSorted((a, b) => a[0] - b[0])
        .map(([, each]) => each),
  }
}
