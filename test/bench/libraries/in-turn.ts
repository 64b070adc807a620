import type { Figure } from '../report.ts'
import { comparePairs } from '../rounds.ts'

/** One side of a comparison. It does the work the given number of times. */
export type Work = (times: number) => unknown

export interface Comparison {
  readonly name: string
  readonly ours: Work
  /** The library, or another implementation. */
  readonly theirs: Work
  /** Repetitions of the work per round. */
  readonly times: number
  readonly rounds?: number
}

/** Compares the CPU time of one piece of work, in milliseconds. Both sides run alternately; the order changes with every round. */
export async function compareCpu({ name, ours, theirs, times, rounds = 9 }: Comparison): Promise<Figure> {
  for (const work of [ours, theirs]) await work(times)
  const pairs: [number, number][] = []
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? [ours, theirs] : [theirs, ours]
    const first = await cpuOf(order[0]!, times)
    const second = await cpuOf(order[1]!, times)
    pairs.push(round % 2 === 0 ? [first, second] : [second, first])
  }
  return comparePairs(name, 'ms', pairs, null)
}

/** Measures the CPU time of this process, including all its threads. */
async function cpuOf(work: Work, times: number): Promise<number> {
  const before = process.cpuUsage()
  await work(times)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / times
}

/** Makes a figure without a target, of both sides or of our side alone. */
export function figureWithoutTarget(name: string, unit: string, ours: number | null, theirs: number | null): Figure {
  return { name, unit, ours, theirs, ratio: null, target: null }
}
