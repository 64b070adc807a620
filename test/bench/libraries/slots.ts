import { constants, PerformanceObserver } from 'node:perf_hooks'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { getHeapSpaceStatistics } from 'node:v8'
import { SlotPool } from '../../../core/http/slot-pool.ts'
import { median } from '../load.ts'
import type { Figure } from '../report.ts'
import { comparePairs } from '../rounds.ts'
import { figureWithoutTarget } from './in-turn.ts'

const CALLERS = 16
const REQUESTS = 60_000
const ROUNDS = 3
const LOOK_MS = 5

interface Pool {
  /** Adds a value. @returns a function that removes it */
  add(value: object): () => void
}

interface Taken {
  /** CPU time of one request in microseconds. */
  readonly cpu: number
  /** Peak growth of the old generation during the run, in megabytes. */
  readonly grown: number
  /** Number of full garbage collections. */
  readonly collections: number
}

/**
 * Compares the cost of tracking open requests in slots and in a Set, once the container is in the old generation. Each request lives for
 * one turn of the event loop and holds about as much memory as a real one.
 */
export async function measureSlots(): Promise<Figure[]> {
  const pairs: [Taken, Taken][] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const pair: [Taken, Taken] = [await serve(slots()), await serve(set())]
    // The first round is a warm-up.
    if (round > 0) pairs.push(pair)
  }
  const both = (of: (taken: Taken) => number) =>
    [0, 1].map(side => median(pairs.map(pair => of(pair[side]!)))) as [number, number]
  return [
    comparePairs(
      'CPU of a request, against a Set',
      'µs',
      pairs.map(([ours, theirs]) => [ours.cpu, theirs.cpu]),
      null,
    ),
    figureWithoutTarget(`most that outlived ${REQUESTS} requests`, 'MB', ...both(taken => taken.grown)),
    figureWithoutTarget('full garbage collections', '', ...both(taken => taken.collections)),
  ]
}

function slots(): Pool {
  const open = new SlotPool<object>()
  return {
    add(value) {
      const place = open.add(value)
      return () => open.remove(place)
    },
  }
}

function set(): Pool {
  const open = new Set<object>()
  return {
    add(value) {
      open.add(value)
      return () => open.delete(value)
    },
  }
}

async function serve(pool: Pool): Promise<Taken> {
  let left = REQUESTS
  const caller = async (): Promise<void> => {
    while (left-- > 0) {
      const remove = pool.add(Array.from({ length: 100 }, () => ({ left })))
      await nextTurn()
      remove()
    }
  }
  const callers = Array.from({ length: CALLERS }, caller)
  await sleep(50)
  for (let n = 0; n < 2; n++) globalThis.gc?.()
  let collections = 0
  const observer = new PerformanceObserver(list => {
    for (const entry of list.getEntries())
      if ((entry as { detail?: { kind?: number } }).detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections++
  })
  observer.observe({ entryTypes: ['gc'] })
  const [before, began, cpu] = [oldMegabytes(), left, process.cpuUsage()]
  let grown = 0
  const look = setInterval(() => (grown = Math.max(grown, oldMegabytes() - before)), LOOK_MS)
  await Promise.all(callers)
  const { user, system } = process.cpuUsage(cpu)
  clearInterval(look)
  await sleep(10)
  observer.disconnect()
  return { cpu: (user + system) / began, grown, collections }
}

function oldMegabytes(): number {
  return getHeapSpaceStatistics().find(space => space.space_name === 'old_space')!.space_used_size / 2 ** 20
}
