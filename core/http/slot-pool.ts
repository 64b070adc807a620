/**
 * Pool of values, each in the slot where it was added.
 *
 * For values that each request or connection adds and removes. A Set or Map that is rehashed leaves its old table pointing to the new one.
 * Once an old table is in the old generation, everything in its successors survives until the next full garbage collection.
 */
export class SlotPool<T> {
  readonly #values: (T | undefined)[] = []
  readonly #free: number[] = []
  /** @returns the slot */
  add(value: T): number {
    const place = this.#free.pop() ?? this.#values.length
    this.#values[place] = value
    return place
  }
  /** Frees a slot. Must be called only once per slot, because its next value may belong to another caller. */
  remove(place: number): void {
    this.#values[place] = undefined
    this.#free.push(place)
  }
  /** Calls `look` with all values, in no particular order; `look` may remove the current value. */
  forEach(look: (value: T) => void): void {
    this.#values.forEach(value => value !== undefined && look(value))
  }
}
