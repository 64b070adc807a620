/** A queue for the one session of the database. */
export interface Turns {
  /** Waits for the turn; whoever has it must give it back by calling what this returns. Giving back twice is harmless. */
  take(): Promise<() => void>
  /** How many wait. */
  readonly waiting: number
}

export function createTurns(): Turns {
  let last = Promise.resolve()
  let waiting = 0
  return {
    async take() {
      const before = last
      const { promise, resolve } = Promise.withResolvers<void>()
      last = promise
      waiting++
      await before
      waiting--
      return resolve
    },
    get waiting() {
      return waiting
    },
  }
}
