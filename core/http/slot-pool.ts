/**
 * Values that come and go, each at the place that it was given.
 *
 * For what every request or connection adds and removes. A Set or a Map makes a new table every few of them and leaves the old one pointing to it: once one
 * such table has become old, everything that is in one of its successors outlives its request until the next full collection of garbage.
 */
export class SlotPool<T> {
  readonly #values: (T | undefined)[] = []
  readonly #free: number[] = []
  /** @returns its place. */
  add(value: T): number {
    const place = this.#free.pop() ?? this.#values.length
    this.#values[place] = value
    return place
  }
  /** A place must be freed once only: its next value may be another's. */
  remove(place: number): void {
    this.#values[place] = undefined
    this.#free.push(place)
  }
  /** Looks at all values, in no order; the look may remove the one that it is given. */
  forEach(look: (value: T) => void): void {
    this.#values.forEach(value => value !== undefined && look(value))
  }
}
