/** Deterministic pseudo-random numbers from a seed: mulberry32 on an FNV-1a hash. */
export class SeededRandom {
  /** In an array, because V8 allocates a new number for each change of a field with more than 31 bits. */
  readonly #state = Int32Array.of(0x811c9dc5)

  constructor(seed: string) {
    const state = this.#state
    for (let n = 0; n < seed.length; n++) state[0] = Math.imul(state[0]! ^ seed.charCodeAt(n), 0x01000193)
  }

  /** Returns an integer from 0 to below `limit`. */
  nextBelow(limit: number): number {
    const state = (this.#state[0]! + 0x6d2b79f5) | 0
    this.#state[0] = state
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return (((mixed ^ (mixed >>> 14)) >>> 0) * (limit / 4_294_967_296)) | 0
  }
}
