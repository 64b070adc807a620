import { HOUR_MS } from '../../plugin/durations.ts'

/** Number of similar refusals per hour with separate entries; the others are summed up in one entry. */
export const SINGLE_ENTRIES = 3
/** Limit of tracked places; further places are counted together. */
export const MAX_PLACES = 300

/** The summaries of bursts to write: those that are due, or all. */
export type FlushedEntries = 'due' | 'all'

interface Burst<T> {
  count: number
  readonly until: number
  /** The most recent entry that was only counted. */
  last: T | undefined
}

/**
 * Limits the entries that unauthenticated clients can cause: similar refusals from one place within an hour become a few entries, plus one
 * with the count of the others.
 */
export interface Bursts<T> {
  /**
   * Returns whether the entry gets its own row; otherwise it is only counted. @param kind what makes entries similar @param place network
   * of the client
   */
  take(kind: string, place: string, entry: T): boolean
  /** Returns the summary entries: those whose hour has elapsed, or all. */
  close(which: FlushedEntries): readonly { readonly entry: T; readonly times: number }[]
}

export function createBursts<T>(now: () => Date): Bursts<T> {
  const bursts = new Map<string, Burst<T>>()
  return {
    take(kind, place, entry) {
      const ownKey = `${kind} ${place}`
      const key = bursts.has(ownKey) || bursts.size < MAX_PLACES ? ownKey : kind
      let burst = bursts.get(key)
      // An elapsed burst stays until `close` has returned its summary.
      if (!burst) bursts.set(key, (burst = { count: 0, until: now().getTime() + HOUR_MS, last: undefined }))
      if (++burst.count <= SINGLE_ENTRIES) return true
      burst.last = entry
      return false
    },
    close(which) {
      const at = now().getTime()
      const elapsed = [...bursts].filter(([, { until }]) => which === 'all' || until <= at)
      for (const [key] of elapsed) bursts.delete(key)
      return elapsed.flatMap(([, { count, last }]) => (last ? [{ entry: last, times: count - SINGLE_ENTRIES }] : []))
    },
  }
}
