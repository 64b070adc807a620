import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { RRuleTemporal } from 'rrule-temporal'
import { readRecurrence, upcoming } from '../../../plugins/templates/recurrence.ts'
import { DATA_FOLDER } from '../../issues.ts'
import type { Figure } from '../report.ts'
import { compareCpu, figureWithoutTarget } from './in-turn.ts'

const NOW = new Date('2026-03-01T00:00:00Z')
const BEFORE_ALL = new Date(0)
/** Rules that never come due, as an attacker would send them. */
const NEVER = ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', 'FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30']

interface Vector {
  readonly rule: string
  readonly start: string
  readonly instances: readonly string[]
}

/**
 * Compares recurrence rules in the service and in rrule-temporal alone: libical's vectors (with `TEST_DATA_DIR`), and rules that never come
 * due.
 */
export async function measureRecurrence(): Promise<Figure[]> {
  const figures: Figure[] = []
  if (DATA_FOLDER !== null) {
    const vectors = readVectors(join(DATA_FOLDER, 'rrule', 'icalrecur_test.txt'))
    const [ours, theirs] = [judge(vectors, byService), judge(vectors, byLibrary)]
    for (const verdict of ['right', 'refused', 'wrong'] as const)
      figures.push(figureWithoutTarget(`of ${vectors.length} vectors, ${verdict}`, '', ours[verdict], theirs[verdict]))
  }
  for (const rule of NEVER) {
    const never = { rule, start: '20270101T000000', instances: [''] }
    const times = (find: typeof byService) => (count: number) => {
      for (let n = 0; n < count; n++) find(never)
    }
    figures.push(
      await compareCpu({ name: `CPU of ${rule}`, ours: times(byService), theirs: times(byLibrary), times: 5 }),
    )
  }
  return figures
}

function judge(vectors: readonly Vector[], find: (vector: Vector) => readonly string[] | null) {
  const verdicts = { right: 0, refused: 0, wrong: 0 }
  for (const vector of vectors) {
    const found = find(vector)
    verdicts[found === null ? 'refused' : found.join() === vector.instances.join() ? 'right' : 'wrong']++
  }
  return verdicts
}

/** @returns null if the service refuses the rule */
function byService({ rule, start, instances }: Vector): readonly string[] | null {
  try {
    const recurrence = readRecurrence(`DTSTART:${start}\nRRULE:${rule}`, 'UTC', NOW)
    return upcoming(recurrence, BEFORE_ALL, instances.length + 1).map(date => digits(date, start))
  } catch {
    return null
  }
}

function byLibrary({ rule, start, instances }: Vector): readonly string[] | null {
  try {
    const begin = start.length === 8 ? `${start}T000000Z` : start.endsWith('Z') ? start : `${start}Z`
    const rules = new RRuleTemporal({ rruleString: `DTSTART:${begin}\nRRULE:${rule}`, tzid: 'UTC' })
    const found: string[] = []
    rules.all(date => found.push(digits(new Date(date.epochMilliseconds), start)) <= instances.length)
    return found
  } catch {
    return null
  }
}

const digits = (date: Date, start: string): string =>
  date
    .toISOString()
    .replaceAll(/[-:]|\.\d+Z/g, '')
    .slice(0, start.length === 8 ? 8 : 15)

/** Reads libical's test file: comments, RRULE, DTSTART and INSTANCES, with a blank line between cases. */
function readVectors(file: string): readonly Vector[] {
  return readFileSync(file, 'utf8')
    .split(/\n\s*\n/)
    .flatMap(block => {
      const line = (name: string): string | undefined => new RegExp(`^${name}:(.*)$`, 'm').exec(block)?.[1]
      const [rule, start, instances] = [line('RRULE'), line('DTSTART'), line('INSTANCES')]
      if (rule === undefined || start === undefined || instances === undefined) return []
      return { rule, start, instances: instances.replaceAll('Z', '').split(',') }
    })
}
