import { setImmediate } from 'node:timers/promises'

/** Divides long work into turns of the event loop, between which others are served: `if (turn.isOver()) await turn.next()`. */
export class Turn {
  readonly #ms: number
  #startedAt = 0
  /** Whoever waits gets a turn of its own. */
  #last: Promise<unknown> = Promise.resolve()
  /** @param ms length of a turn */
  constructor(ms: number) {
    this.#ms = ms
  }
  isOver(): boolean {
    return performance.now() - this.#startedAt > this.#ms
  }
  async next(): Promise<void> {
    this.#last = this.#last.then(() => setImmediate())
    await this.#last
    this.#startedAt = performance.now()
  }
}
