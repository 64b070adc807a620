/**
 * Limits the concurrent database calls of each credential. Further calls of a credential wait only for its own calls, so one busy client
 * cannot occupy the database: the embedded one has a single session, PostgreSQL a pool.
 */
export class FairQueue {
  readonly #most: number
  readonly #running = new Map<string, number>()
  readonly #waiting = new Map<string, (() => void)[]>()
  constructor(most: number) {
    this.#most = most
  }
  /** Takes a slot, which the caller must release with `end`. @returns a promise if the caller has to wait */
  take(credential: string): Promise<void> | undefined {
    const running = this.#running.get(credential) ?? 0
    if (running >= this.#most) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const waiting = this.#waiting.get(credential)
      if (waiting) waiting.push(resolve)
      else this.#waiting.set(credential, [resolve])
      return promise
    }
    this.#running.set(credential, running + 1)
    return undefined
  }
  end(credential: string): void {
    const waiting = this.#waiting.get(credential)
    const next = waiting?.shift()
    if (waiting?.length === 0) this.#waiting.delete(credential)
    // The longest waiting call of the credential takes over the slot.
    if (next) return next()
    const running = this.#running.get(credential)! - 1
    if (running === 0) this.#running.delete(credential)
    else this.#running.set(credential, running)
  }
}
