const HOUR_MS = 3_600_000
/** Like refusals that get an entry each; the rest of the hour is one entry with their number. */
export const SINGLE_ENTRIES = 3
/** Places that are distinguished; what comes from further ones is counted together. */
export const MOST_PLACES = 300

interface Burst<T> {
  count: number
  readonly until: number
  /** The last one that was only counted. */
  last: T | undefined
}

/**
 * Bounds what strangers can make the trail keep: of refusals alike, those of one place and hour become a few entries and one with the
 * number of the others.
 */
export interface Bursts<T> {
  /** Whether an entry is recorded by itself; else it is counted. @param key what makes entries alike, and where they come from */
  take(kind: string, place: string, entry: T): boolean
  /** Entries that stand for those that were counted: of hours that are over, or of all. */
  close(all: boolean): readonly { readonly entry: T; readonly times: number }[]
}

export function createBursts<T>(now: () => Date): Bursts<T> {
  const bursts = new Map<string, Burst<T>>()
  return {
    take(kind, place, entry) {
      const own = `${kind} ${place}`
      const key = bursts.has(own) || bursts.size < MOST_PLACES ? own : kind
      let burst = bursts.get(key)
      // One that is over waits for its entry to be made.
      if (!burst) bursts.set(key, (burst = { count: 0, until: now().getTime() + HOUR_MS, last: undefined }))
      if (++burst.count <= SINGLE_ENTRIES) return true
      burst.last = entry
      return false
    },
    close(all) {
      const at = now().getTime()
      const over = [...bursts].filter(([, { until }]) => all || until <= at)
      for (const [key] of over) bursts.delete(key)
      return over.flatMap(([, { count, last }]) => (last ? [{ entry: last, times: count - SINGLE_ENTRIES }] : []))
    },
  }
}
