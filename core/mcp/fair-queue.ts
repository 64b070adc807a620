/**
 * Lets each credential have some calls at the database at a time; its further ones wait for those, not for the calls of others. The
 * embedded database has one session, and PostgreSQL a pool: whoever may ask without end would have it alone.
 */
export class FairQueue {
  readonly #most: number
  readonly #running = new Map<string, number>()
  readonly #waiting = new Map<string, (() => void)[]>()
  constructor(most: number) {
    this.#most = most
  }
  /** Takes a turn, which `end` has to end. @returns a promise where it has to be waited for */
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
    // The turn goes on to whoever waited longest.
    if (next) return next()
    const running = this.#running.get(credential)! - 1
    if (running === 0) this.#running.delete(credential)
    else this.#running.set(credential, running)
  }
}
