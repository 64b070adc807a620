/** Grants the session of the database to one caller at a time, first come, first served. */
export interface Mutex {
  /** Waits until the session is free. The caller must call the returned function to release it; a second call does nothing. */
  acquire(): Promise<() => void>
  /** Number of waiting callers. */
  readonly waiting: number
  readonly taken: boolean
}

export function createMutex(): Mutex {
  let last = Promise.resolve()
  let waiting = 0
  let holder: (() => void) | null = null
  return {
    async acquire() {
      const before = last
      const { promise, resolve } = Promise.withResolvers<void>()
      last = promise
      waiting++
      await before
      waiting--
      const release = (): void => {
        if (holder === release) holder = null
        resolve()
      }
      return (holder = release)
    },
    get waiting() {
      return waiting
    },
    get taken() {
      return holder !== null
    },
  }
}
