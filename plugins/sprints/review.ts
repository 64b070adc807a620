import { formatCount, quoteName } from 'tasuki/plugin'
import type { Snapshot } from './closing.repository.ts'
import type { Outcome } from './outcome.ts'
import type { SprintRow } from './sprint.ts'

/** The input of a review. */
export interface ReviewFacts
  extends
    Pick<SprintRow, 'path' | 'goal' | 'startDate' | 'endDate' | 'capacity'>,
    Pick<Snapshot, 'velocity' | 'total' | 'unit' | 'items'> {
  /** Day of the close in the caller's time zone. */
  readonly day: string
  /** Path of the next sprint. */
  readonly next: string | null
}

/** Maximum number of items in a section; the snapshot has all of them. */
const MAX_ITEMS = 50
const SECTIONS = [
  ['done', 'Done'],
  ['split', 'Split'],
  ['next_sprint', 'Moved on'],
  ['backlog', 'Back to the backlog'],
  ['drop', 'Dropped'],
] as const

/** Renders the review of a closed sprint as Markdown; deterministic. */
export function reviewText(facts: ReviewFacts): string {
  const { path, goal, startDate, endDate, day, items, next } = facts
  const dates = startDate !== null || endDate !== null ? ` (planned ${startDate ?? '?'} to ${endDate ?? '?'})` : ''
  const done = items.filter(item => item.outcome === 'done').length
  const lines = [`## Review of ${quoteName(path)}`, '', `Closed on ${day}${dates}.`]
  if (goal !== null) lines.push(`Goal: ${quoteName(goal, 2000)}`)
  lines.push(`${velocityLine(facts)} ${done} of ${formatCount(items.length, 'item')} done${share(done, items.length)}.`)
  for (const [outcome, title] of SECTIONS) {
    const own = items.filter(item => item.outcome === outcome)
    if (own.length === 0) continue
    const heading = outcome === 'next_sprint' && next !== null ? `${title} to ${quoteName(next)}` : title
    lines.push('', `### ${heading} (${own.length})`, '', ...own.slice(0, MAX_ITEMS).map(bullet))
    if (own.length > MAX_ITEMS) lines.push(`- and ${own.length - MAX_ITEMS} more`)
  }
  return lines.join('\n')
}

function velocityLine({ velocity, total, unit, capacity }: ReviewFacts): string {
  return `Velocity: ${velocity} of ${formatCount(total, unit.replace(/s$/, ''))}${capacity === null ? '' : `, capacity ${capacity}`}.`
}

const share = (done: number, all: number): string => (all === 0 ? '' : ` (${Math.round((100 * done) / all)} %)`)

function bullet({ item_ref: ref, title, points, counted, continuation_ref: continuation }: Outcome): string {
  const notes = [
    ...(points === undefined ? [] : [String(points)]),
    ...(counted === false ? ['not counted'] : []),
    ...(continuation === undefined ? [] : [`continues as ${continuation}`]),
  ]
  return `- ${ref} ${quoteName(title, 500)}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`
}
