import type { SprintClosing } from '../../sprints/index.ts'
import { average, carryOvers, selectComparable } from '../past.ts'
import { formatPercent, formatNumber } from '../wording.ts'
import type { Improvement } from './suggestions.ts'

/** Metrics of the closed sprints of a project. */
export type PastMetrics = NonNullable<ReturnType<typeof pastMetrics>>

/** @param closings latest first @returns null without closings that have items */
export function pastMetrics(closings: readonly SprintClosing[]) {
  const past = selectComparable(closings)
  const [latest] = past
  if (!latest) return null
  const items = past.reduce((sum, { itemCount }) => sum + itemCount, 0)
  const carried = past
    .flatMap(closing => closing.items)
    .filter(({ outcome }) => outcome !== 'done' && outcome !== 'drop')
  const velocities = past.map(closing => closing.velocity).toReversed()
  const mean = average(velocities)
  const enough = velocities.length >= 3 && mean > 0
  return {
    sprints: past.length,
    /** Share of the items that were neither done nor dropped, over all sprints. */
    carryOverRate: carried.length / items,
    unit: latest.unit,
    averageVelocity: mean,
    /** Slope from sprint to sprint relative to the average, by least squares; null for fewer than three sprints. */
    trend: enough ? slope(velocities) / mean : null,
    /** Standard deviation relative to the average; null for fewer than three sprints. */
    spread: enough ? Math.sqrt(average(velocities.map(value => (value - mean) ** 2))) / mean : null,
  }
}

function slope(values: readonly number[]): number {
  const [middle, mean] = [(values.length - 1) / 2, average(values)]
  const across = values.reduce((sum, value, n) => sum + (n - middle) * (value - mean), 0)
  return across / values.reduce((sum, _, n) => sum + (n - middle) ** 2, 0)
}

/** Derives signals from the closed sprints: carried-over work, and changes of velocity. */
export function pastSignals(closings: readonly SprintClosing[], metrics: PastMetrics | null): Improvement[] {
  if (!metrics) return []
  return [...carrySignals(closings, metrics), ...velocitySignal(closings, metrics)]
}

function carrySignals(closings: readonly SprintClosing[], metrics: PastMetrics): Improvement[] {
  const { carryOverRate: rate, sprints, averageVelocity, unit } = metrics
  const past = selectComparable(closings)
  const planned = average(past.map(closing => closing.total))
  const again = carryOvers(past[0]!, past.slice(1)).filter(item => item.times > 1)
  const signals: Improvement[] = []
  if (rate >= 0.2)
    signals.push({
      signal: 'carry_over',
      severity: rate >= 0.4 ? 'high' : 'medium',
      suggestion:
        planned > averageVelocity
          ? `Plan about ${formatNumber(averageVelocity)} ${unit} instead of ${formatNumber(planned)}, and start something new only when an item is finished.`
          : 'Finish items before new ones are started, and split those that do not fit into half a sprint.',
      evidence: `${formatPercent(rate)} of the items of the last ${sprints === 1 ? 'sprint' : `${sprints} sprints`} were carried over; ${formatNumber(planned)} ${unit} were planned and ${formatNumber(averageVelocity)} done on average.`,
    })
  if (again.length > 0)
    signals.push({
      signal: 'carry_over',
      severity: again.some(item => item.times > 2) ? 'high' : 'medium',
      suggestion:
        'Split these items, name what blocks them, or take them out of the plan: time alone has not finished them.',
      evidence: `Left unfinished in several sprints in a row: ${again.map(item => `${item.ref} ${item.times} times`).join(', ')}.`,
      item_refs: again.map(item => item.ref),
    })
  return signals
}

function velocitySignal(closings: readonly SprintClosing[], { trend, spread, unit }: PastMetrics): Improvement[] {
  const velocities = selectComparable(closings).map(closing => formatNumber(closing.velocity))
  const row = velocities.toReversed().join(', ')
  const signal = 'velocity_trend'
  if (trend !== null && trend <= -0.1) {
    const severity = trend <= -0.25 ? 'high' : 'medium'
    const suggestion =
      'Find out what has taken time away (support, absences, debts in the code) and plan by the latest sprints, not by the best.'
    const evidence = `Velocity falls by ${formatPercent(-trend)} of its average per sprint: ${row} ${unit}.`
    return [{ signal, severity, suggestion, evidence }]
  }
  if (spread !== null && spread >= 0.35) {
    const suggestion = 'Make items smaller and alike in size: forecasts are only as good as velocity is steady.'
    const evidence = `Velocity varies by ${formatPercent(spread)} around its average: ${row} ${unit}.`
    return [{ signal, severity: 'low', suggestion, evidence }]
  }
  return []
}
