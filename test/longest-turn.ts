import { constants, PerformanceObserver, type NodeGCPerformanceDetail, type PerformanceEntry } from 'node:perf_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Shorter turns are never the longest of a measurement that matters. */
const SHORT_MS = 5

interface Turn {
  /** Milliseconds since the process started. */
  readonly begin: number
  readonly end: number
  /** Milliseconds of processor time. */
  readonly cpu: number
}

/** Milliseconds of processor time of this thread, which excludes other threads and processes. */
function threadTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/**
 * Measures the turns of the event loop until `stop`, which returns the milliseconds of processor time of the longest one.
 *
 * Major garbage collections do not count: the engine marks in threads of its own where a processor is idle, and within the turn where none
 * is, so that the same heap takes 10 ms or 100 ms.
 * @param every milliseconds between two looks; turns that are shorter count together with the next. 0 looks in every turn, which keeps the
 * processor busy while the program waits.
 */
export function watchTurns(every = 0): { stop(): Promise<number> } {
  const turns: Turn[] = []
  const collections: PerformanceEntry[] = []
  const keep = (entries: readonly PerformanceEntry[]): void => {
    for (const entry of entries)
      if ((entry as { detail?: NodeGCPerformanceDetail }).detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR)
        collections.push(entry)
  }
  const observer = new PerformanceObserver(list => keep(list.getEntries()))
  observer.observe({ entryTypes: ['gc'] })
  let begin = performance.now()
  let last = threadTime()
  let running = true
  const look = (): void => {
    const end = performance.now()
    const now = threadTime()
    if (now - last > SHORT_MS) turns.push({ begin, end, cpu: now - last })
    begin = end
    last = now
    if (running && every === 0) setImmediate(look)
  }
  const timer = every > 0 ? setInterval(look, every) : undefined
  setImmediate(look)
  return {
    async stop() {
      running = false
      clearInterval(timer)
      // The work may have ended within the longest turn.
      look()
      // Collections are reported in later turns.
      for (let n = 0; n < 3; n++) await nextTurn()
      keep(observer.takeRecords())
      observer.disconnect()
      return Math.max(0, ...turns.map(turn => turn.cpu * (1 - shareOf(collections, turn))))
    },
  }
}

/** Returns the share of a turn, 0 to 1, during which the engine collected garbage. */
function shareOf(collections: readonly PerformanceEntry[], { begin, end }: Turn): number {
  const within = collections.map(({ startTime, duration }) =>
    Math.max(0, Math.min(end, startTime + duration) - Math.max(begin, startTime)),
  )
  return within.reduce((sum, part) => sum + part, 0) / (end - begin)
}

/** Measures the longest turn of the event loop while work runs. @returns milliseconds of processor time */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  const watch = watchTurns()
  await work()
  return watch.stop()
}
