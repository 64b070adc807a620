import { formatCount, quoteName } from 'tasuki/plugin'
import type { SprintRow } from '../../sprints/index.ts'
import type { Forecast } from '../forecast/forecast.ts'
import { formatPercent, formatNumber } from '../wording.ts'
import type { PastMetrics } from './past-signals.ts'
import type { Improvement } from './suggestions.ts'
import type { OpenItem } from './open-item.repository.ts'

/** The state of a planned or active sprint. */
export interface SprintState {
  readonly sprint: SprintRow
  readonly open: readonly OpenItem[]
  readonly forecast: Forecast
  /** Total size of its items, done or not, in the unit of the forecast. */
  readonly planned: number
  readonly past: PastMetrics | null
  /** Today in the caller's time zone, `YYYY-MM-DD`. */
  readonly today: string
}

/** Days without a change until work in progress counts as stuck. */
const IDLE_DAYS = 4

/** Returns signs that a sprint will not end as planned, each with the items concerned. */
export function riskSignals(state: SprintState): Improvement[] {
  return [late, overcommitted, overdue, stuck, tooMuchAtOnce, tooLarge, notEstimated, urgentUntouched, noFrame].flatMap(
    signal => signal(state) ?? [],
  )
}

type Signal = (state: SprintState) => Improvement | null

const refs = (items: readonly OpenItem[]): string[] => items.slice(0, 20).map(item => item.ref)

const late: Signal = ({ sprint, open, forecast: { confidence, date, load } }) => {
  if (sprint.status !== 'active' || confidence === null || confidence >= 0.7 || load.openCount === 0) return null
  const least = open.filter(item => item.priority === null && item.category === 'todo')
  return {
    signal: 'late',
    severity: confidence < 0.4 ? 'high' : 'medium',
    suggestion:
      least.length > 0
        ? 'Agree now on what is left out; these items are not started and not urgent.'
        : 'Agree now on what is left out, while the rest can still be finished.',
    evidence: `${formatNumber(load.remaining)} ${load.unit} are open; the chance to finish by ${sprint.endDate} is ${formatPercent(confidence)}${date === null ? '' : `, the forecast ${date}`}.`,
    ...(least.length > 0 && { item_refs: refs(least) }),
  }
}

const overcommitted: Signal = ({ sprint, planned, past, forecast: { load } }) => {
  const usual = past && past.unit === load.unit ? past.averageVelocity : null
  const most = Math.min(usual ?? Infinity, sprint.capacity ?? Infinity)
  if (!(most > 0) || most === Infinity || planned <= most * 1.15) return null
  const limits = [
    ...(usual === null ? [] : [`${formatNumber(usual)} ${load.unit} are done on average`]),
    ...(sprint.capacity === null ? [] : [`the capacity is ${formatNumber(sprint.capacity)}`]),
  ]
  return {
    signal: 'overcommitted',
    severity: planned > most * 1.5 ? 'high' : 'medium',
    suggestion: `Take out about ${formatNumber(planned - most)} ${load.unit}, the least important first.`,
    evidence: `${formatNumber(planned)} ${load.unit} are planned; ${limits.join(' and ')}.`,
  }
}

const overdue: Signal = ({ open, today }) => {
  const late = open.filter(({ dueDate }) => dueDate !== null && dueDate < today)
  if (late.length === 0) return null
  return {
    signal: 'overdue',
    severity: late.length > 2 ? 'high' : 'medium',
    suggestion: 'Finish these first, or agree on new dates with those who wait for them.',
    evidence: `${formatCount(late.length, 'open item')} past the due date, the oldest since ${late.map(item => item.dueDate!).toSorted()[0]}.`,
    item_refs: refs(late),
  }
}

const stuck: Signal = ({ open }) => {
  const idle = open.filter(item => item.category !== 'todo' && item.idleDays >= IDLE_DAYS)
  if (idle.length === 0) return null
  return {
    signal: 'stuck',
    severity: 'medium',
    suggestion: 'Ask what holds these up; help, split or put them back.',
    evidence: `${formatCount(idle.length, 'item')} in progress or review without any change for ${formatCount(Math.min(...idle.map(item => item.idleDays)), 'day')} or more.`,
    item_refs: refs(idle),
  }
}

const tooMuchAtOnce: Signal = ({ open }) => {
  const started = open.filter(item => item.category !== 'todo')
  if (started.length < 5 || started.length * 2 <= open.length) return null
  return {
    signal: 'work_in_progress',
    severity: 'low',
    suggestion: 'Finish what is started before anything new: agree on how many items may be in progress.',
    evidence: `${started.length} of ${open.length} open items are in progress or in review at the same time.`,
    item_refs: refs(started),
  }
}

const tooLarge: Signal = ({ open, planned, forecast: { load } }) => {
  const large = load.measure === 'points' ? open.filter(({ points }) => points !== null && points > planned / 3) : []
  if (large.length === 0 || open.length < 4) return null
  return {
    signal: 'large_items',
    severity: 'medium',
    suggestion: 'Split these: when one of them slips, the sprint does.',
    evidence: `${formatCount(large.length, 'open item')} of more than a third of the ${formatNumber(planned)} ${load.unit} planned each.`,
    item_refs: refs(large),
  }
}

const notEstimated: Signal = ({ open, forecast: { load } }) => {
  const blank = load.measure === 'points' ? open.filter(item => item.points === null) : []
  if (blank.length === 0) return null
  return {
    signal: 'not_estimated',
    severity: blank.length * 2 > open.length ? 'medium' : 'low',
    suggestion: 'Estimate these, or ask for suggestions from finished tasks.',
    evidence: `${blank.length} of ${formatCount(open.length, 'open item')} have no estimate.`,
    item_refs: refs(blank),
  }
}

const urgentUntouched: Signal = ({ sprint, open }) => {
  const waiting = open.filter(item => item.priority === 'urgent' && item.category === 'todo')
  const others = open.filter(item => item.priority === null && item.category !== 'todo')
  if (sprint.status !== 'active' || waiting.length === 0 || others.length === 0) return null
  return {
    signal: 'priority',
    severity: 'medium',
    suggestion: 'Start the urgent items before going on with others.',
    evidence: `${formatCount(waiting.length, 'urgent item')} not started while ${others.length} without such a priority are in progress.`,
    item_refs: refs(waiting),
  }
}

const noFrame: Signal = ({ sprint }) => {
  const missing = [...(sprint.goal === null ? ['goal'] : []), ...(sprint.endDate === null ? ['end date'] : [])]
  if (missing.length === 0) return null
  return {
    signal: 'frame',
    severity: 'low',
    suggestion: `Give the sprint ${missing.join(' and ')}.`,
    evidence: `The sprint ${quoteName(sprint.path)} has no ${missing.join(' and no ')}.`,
  }
}
