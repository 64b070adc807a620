import { formatCount, quoteName } from 'tasuki/plugin'
import type { DoneDay, SprintClosing, SprintRow } from '../../sprints/index.ts'
import { average, carryOvers, selectComparable, type CarryOver } from '../past.ts'
import { formatPercent, formatNumber } from '../wording.ts'
import type { SprintEvent } from './event.repository.ts'
import type { SprintEvents } from './events.ts'

/** The input of a draft. */
export interface RetroFacts {
  readonly closing: SprintClosing
  /** Earlier closings of the project, latest first. */
  readonly earlier: readonly SprintClosing[]
  readonly events: SprintEvents
  readonly days: readonly DoneDay[]
  /** Duration of the sprint in days, including the first and the last. */
  readonly length: number
  /** Last day of the sprint, `YYYY-MM-DD`. */
  readonly lastDay: string
  /** The retrospective of the previous sprint. */
  readonly lastRetro: string | null
}

/** Maximum number of items in one line. */
const MAX_REFS = 10
/** Maximum number of lines taken from the previous retrospective. */
const MAX_AGREED = 10

/** Renders a retrospective as Markdown from recorded facts only; deterministic. */
export function draftText(facts: RetroFacts): string {
  const carried = carryOvers(facts.closing, facts.earlier)
  return text(facts.closing.sprint, [
    ['In numbers', numbers(facts, carried)],
    ['What went well', listSuccesses(facts, carried)],
    ['What got in the way', listImpediments(facts, carried)],
    ['Questions for the team', questions(facts, carried)],
    ['Noted last time', listFormerActions(facts.lastRetro)],
  ])
}

/** Renders the draft for a sprint that was created closed, of which only the plan is known. */
export function draftUnrecorded(sprint: SprintRow, lastRetro: string | null): string {
  return text(sprint, [
    ['In numbers', ['Nothing was recorded: the sprint was created closed, without items and velocity.']],
    ['Questions for the team', [goalQuestion(sprint), NEXT_QUESTION]],
    ['Noted last time', listFormerActions(lastRetro)],
  ])
}

/** The lines of a section; false = nothing to say. */
type Lines = readonly (string | false)[]

function text({ path, goal }: SprintRow, sections: readonly (readonly [string, Lines])[]): string {
  return [
    `## Retrospective of ${quoteName(path)} (draft)`,
    ...(goal === null ? [] : ['', `Goal: ${quoteName(goal, 2000)}`]),
    ...sections.flatMap(([title, lines]) => {
      const said = lines.filter(line => line !== false)
      return said.length === 0 ? [] : ['', `### ${title}`, '', ...said.map(line => `- ${line}`)]
    }),
  ].join('\n')
}

function numbers(
  { closing, earlier, events, days, length, lastDay }: RetroFacts,
  carried: readonly CarryOver[],
): Lines {
  const { velocity, total, unit, itemCount, doneCount, sprint } = closing
  const before = averageVelocity(closing, earlier)
  const change =
    before === null || before === 0
      ? ''
      : `; ${formatNumber(before)} on average before (${formatSignedPercent(velocity / before - 1)})`
  const capacity = sprint.capacity === null ? '' : `, capacity ${formatNumber(sprint.capacity)}`
  const { all, last } = workDone(unit, days, lastDay)
  const scope = events.added.length + events.removed.length
  return [
    `Velocity: ${formatNumber(velocity)} of ${formatNumber(total)} ${unit}${capacity}${change}.`,
    `Done: ${doneCount} of ${formatCount(itemCount, 'item')}${itemCount > 0 ? ` (${formatPercent(doneCount / itemCount)})` : ''}${carried.length > 0 ? `; ${outcomes(carried)}` : ''}.`,
    all > 0 &&
      `Pace: something was done on ${days.length} of ${formatCount(length, 'day')}; ${formatPercent(last / all)} of it on the last day.`,
    scope > 0 && `Scope: ${events.added.length} added and ${events.removed.length} taken out after the start.`,
  ]
}

function workDone(unit: string, days: RetroFacts['days'], lastDay: RetroFacts['lastDay']) {
  const size = unit === 'items' ? 'items' : 'points'
  const all = days.reduce((sum, day) => sum + day[size], 0)
  return { all, last: days.find(day => day.day === lastDay)?.[size] ?? 0 }
}

function listSuccesses({ closing, earlier, days, length }: RetroFacts, carried: readonly CarryOver[]): Lines {
  const { velocity, unit, itemCount, doneCount, items } = closing
  const before = averageVelocity(closing, earlier)
  const best = items
    .filter(item => item.outcome === 'done' && item.counted !== false && (item.points ?? 0) > 0)
    .toSorted((a, b) => b.points! - a.points!)
    .slice(0, 3)
  return [
    itemCount > 0 && carried.length === 0 && `Everything that was planned is done (${formatCount(itemCount, 'item')}).`,
    before !== null &&
      velocity > before * 1.1 &&
      `More was done than usual: ${formatNumber(velocity)} instead of ${formatNumber(before)} ${unit}.`,
    doneCount > 2 &&
      days.length > 1 &&
      days.length * 2 >= length &&
      'Work was finished steadily, on every other day or more often.',
    best.length > 0 &&
      `Largest items done: ${best.map(item => `${item.item_ref} ${quoteName(item.title)} (${item.points})`).join('; ')}.`,
  ]
}

function listImpediments(
  { closing, earlier, events, days, lastDay }: RetroFacts,
  carried: readonly CarryOver[],
): Lines {
  const { velocity, unit, total } = closing
  const before = averageVelocity(closing, earlier)
  const again = carried.filter(item => item.times > 1)
  const { all, last } = workDone(unit, days, lastDay)
  return [
    carried.length > 0 && `Not finished: ${listItems(carried, item => ` (${item.outcome.replace('_', ' ')})`)}.`,
    again.length > 0 && `Left unfinished again: ${listItems(again, item => ` (${item.times} sprints in a row)`)}.`,
    before !== null &&
      velocity < before * 0.9 &&
      `Less was done than usual: ${formatNumber(velocity)} instead of ${formatNumber(before)} ${unit}.`,
    before !== null &&
      total > before * 1.25 &&
      `More was planned than is usually done: ${formatNumber(total)} for ${formatNumber(before)} ${unit}.`,
    events.added.length > 0 && `Added after the start: ${listItems(keepLatest(events.added))}.`,
    events.removed.length > 0 && `Taken out after the start: ${listItems(keepLatest(events.removed))}.`,
    events.reopened.length > 0 && `Done and opened again: ${listItems(keepLatest(events.reopened))}.`,
    events.estimated.length > 0 &&
      `Re-estimated: ${listItems(events.estimated, ({ from, to }) => ` (${String(from)} to ${String(to)})`)}.`,
    events.postponed.length > 0 && `Due date postponed: ${listItems(keepLatest(events.postponed))}.`,
    all > 0 &&
      last / all >= 0.5 &&
      days.length > 1 &&
      `Half of the work or more was finished on the last day (${formatPercent(last / all)}).`,
  ]
}

/** Returns questions that the facts raise; a draft does not answer for the team. */
function questions({ closing, earlier, events }: RetroFacts, carried: readonly CarryOver[]): Lines {
  const before = averageVelocity(closing, earlier)
  const again = carried.filter(item => item.times > 1)
  return [
    goalQuestion(closing.sprint),
    again.length > 0 && `What keeps ${again[0]!.ref} from being finished: its size, a dependency, or its priority?`,
    again.length === 0 && carried.length > 0 && 'What would have had to be different for the open items to be done?',
    events.added.length > 0 && 'Which of the items that were added could have waited for the next sprint?',
    events.reopened.length > 0 && 'What was missing when items were called done and had to be opened again?',
    before !== null &&
      Math.abs(closing.velocity / before - 1) > 0.25 &&
      'What was different from the sprints before, and will it stay so?',
    NEXT_QUESTION,
  ]
}

function goalQuestion({ goal }: SprintRow): string {
  return goal === null
    ? 'What was the goal of this sprint, and who knew it?'
    : `Was the goal reached: ${quoteName(goal, 2000)}`
}
const NEXT_QUESTION = 'What is the one thing to change in the next sprint?'

/** Returns the list items of the previous retrospective, for a follow-up. */
function listFormerActions(retro: string | null): string[] {
  const lines = (retro ?? '').split('\n').flatMap(line => /^\s*(?:[-*+]|\d+[.)])\s+(.+)$/u.exec(line)?.[1] ?? [])
  return lines.slice(0, MAX_AGREED).map(line => quoteName(line, 500))
}

/** Returns the average velocity of the earlier sprints; null without one in the same unit. */
function averageVelocity(closing: SprintClosing, earlier: readonly SprintClosing[]): number | null {
  const [, ...others] = selectComparable([closing, ...earlier])
  return others.length === 0 ? null : average(others.map(other => other.velocity))
}

function outcomes(carried: readonly CarryOver[]): string {
  const counts = new Map<string, number>()
  for (const { outcome } of carried) counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  return [...counts].map(([outcome, count]) => `${count} ${WORDS[outcome] ?? outcome}`).join(', ')
}
const WORDS: Readonly<Record<string, string>> = {
  next_sprint: 'moved to the next sprint',
  backlog: 'back in the backlog',
  split: 'split',
  drop: 'dropped',
}

function keepLatest(events: readonly SprintEvent[]): SprintEvent[] {
  return [...new Map(events.map(event => [event.itemId, event])).values()]
}

function listItems<T extends { readonly ref: string; readonly title: string }>(
  items: readonly T[],
  note: (item: T) => string = () => '',
): string {
  const shownItems = items.slice(0, MAX_REFS).map(item => `${item.ref} ${quoteName(item.title)}${note(item)}`)
  const more = items.length > MAX_REFS ? [`${items.length - MAX_REFS} more`] : []
  return [...shownItems, ...more].join('; ')
}

const formatSignedPercent = (share: number): string => `${share >= 0 ? '+' : '−'}${formatPercent(Math.abs(share))}`
