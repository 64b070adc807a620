import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { startHost } from '../../core/testing/index.ts'
import type { Figure } from './report.ts'

const MAX_LAG_MS = 20
const TRIES = 3

/**
 * Measures the delay of timers while the embedded database computes for a second. It takes the minimum of a few tries, because the machine
 * is shared.
 */
export async function measureLag(): Promise<Figure[]> {
  const { host, close } = await startHost({ engine: 'pglite' })
  try {
    const database = host.database.embedded!
    const query = (rows: number): Promise<unknown> =>
      database.query(`select sum(sqrt(n)) from generate_series(1, ${rows}) n`)
    let rows = 200_000
    const began = performance.now()
    await query(rows)
    rows = Math.round((rows * 1000) / (performance.now() - began))
    const idle: number[] = []
    const busy: number[] = []
    for (let n = 0; n < TRIES; n++) {
      idle.push(await lagDuring(() => sleep(1000)))
      busy.push(await lagDuring(() => query(rows)))
    }
    const value = (name: string, lags: readonly number[], target: Figure['target']): Figure => ({
      name,
      unit: 'ms',
      ours: Math.min(...lags),
      theirs: null,
      ratio: null,
      target,
    })
    return [
      value('event loop lag, idle (for comparison)', idle, null),
      value('event loop lag during a one-second query, embedded', busy, { atMost: MAX_LAG_MS }),
    ]
  } finally {
    await close()
  }
}

const RESOLUTION_MS = 1

/** Measures the longest delay of a timer while work runs. @returns milliseconds */
async function lagDuring(work: () => Promise<unknown>): Promise<number> {
  globalThis.gc?.()
  await sleep(20)
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  histogram.enable()
  await work()
  await sleep(5)
  histogram.disable()
  return histogram.max / 1e6 - RESOLUTION_MS
}
