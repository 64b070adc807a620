import { load, median, type Load, type Target } from './load.ts'
import type { Figure } from './report.ts'

/** A call of the service and the baseline route that does the same. */
export interface Pair {
  readonly name: string
  readonly ours: Target
  readonly theirs: Target
  /** Targets of the ratios of ours to theirs: latency with one caller, throughput with sixteen callers, CPU time per request. */
  readonly targets: { readonly latency?: number; readonly throughput?: number; readonly cpu?: number }
}

export interface Pace {
  readonly rounds: number
  readonly seconds: number
  readonly warmUp: number
}

const MANY = 16

/** Measures both sides alternately; the order changes with every round. */
export async function measure(
  { name, ours, theirs, targets }: Pair,
  { rounds, seconds, warmUp }: Pace,
): Promise<Figure[]> {
  for (const target of [ours, theirs]) await load(target, MANY, warmUp)
  const alone: [Load, Load][] = []
  const crowd: [Load, Load][] = []
  for (let round = 0; round < rounds; round++) {
    for (const [connections, results] of [
      [1, alone],
      [MANY, crowd],
    ] as const) {
      const order = round % 2 === 0 ? [ours, theirs] : [theirs, ours]
      const first = await load(order[0]!, connections, seconds)
      const second = await load(order[1]!, connections, seconds)
      results.push(round % 2 === 0 ? [first, second] : [second, first])
    }
  }
  const cpu = crowd.every(([a, b]) => a.cpu !== null && b.cpu !== null)
    ? [figure(`${name}: CPU per request, 16 callers`, 'ms', crowd, one => one.cpu!, atMost(targets.cpu))]
    : []
  return [
    figure(`${name}: latency, 1 caller`, 'ms', alone, one => one.latency, atMost(targets.latency)),
    figure(`${name}: throughput, 16 callers`, '/s', crowd, one => one.perSecond, atLeast(targets.throughput)),
    ...cpu,
  ]
}

const atMost = (value: number | undefined): Figure['target'] => (value === undefined ? null : { atMost: value })
const atLeast = (value: number | undefined): Figure['target'] => (value === undefined ? null : { atLeast: value })

function figure(
  name: string,
  unit: string,
  pairs: readonly [Load, Load][],
  of: (load: Load) => number,
  target: Figure['target'],
): Figure {
  return comparePairs(
    name,
    unit,
    pairs.map(([ours, theirs]) => [of(ours), of(theirs)]),
    target,
  )
}

/** Makes a figure of pairs of values, ours first. */
export function comparePairs(
  name: string,
  unit: string,
  pairs: readonly (readonly [number, number])[],
  target: Figure['target'],
): Figure {
  const ratios = pairs.map(([ours, theirs]) => ours / theirs)
  return {
    name,
    unit,
    ours: median(pairs.map(pair => pair[0])),
    theirs: median(pairs.map(pair => pair[1])),
    ratio: { median: median(ratios), min: Math.min(...ratios), max: Math.max(...ratios) },
    target,
  }
}
