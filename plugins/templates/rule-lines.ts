import { clip, normalizeText } from 'tasuki/plugin'
import { refusal } from './rule.ts'
import { isInWords, readWords } from './words/read-words.ts'

/** Allowed years of a series' start. */
const YEARS = { from: 1900, to: 2199 }
/** Maximum number of dates that a series may exclude or add. */
export const DATES_MAX = 200

export interface Lines {
  readonly rule: string
  readonly start: Start | null
  /** Excluded occurrences, from EXDATE. */
  readonly excluded: readonly Start[]
  /** Additional occurrences, from RDATE. */
  readonly added: readonly Start[]
}

/** Parses lines of iCalendar, with the rule optionally in words. Rejects other lines, because ignoring them would change the series. */
export function readLines(text: string, today = 0): Lines {
  const lines = normalizeText(text)
    .toUpperCase()
    .split(/[\r\n]+/)
    .map(line => line.trim())
    .filter(line => line !== '')
    .flatMap(line => (isInWords(line) ? readWords(line, today).split('\n') : line))
  let rule: string | null = null
  let start: Start | null = null
  const dates: { EXDATE: Start[]; RDATE: Start[] } = { EXDATE: [], RDATE: [] }
  for (const line of lines) {
    const listed = /^(EXDATE|RDATE)(?=[;:])/.exec(line)?.[1] as keyof typeof dates | undefined
    if (line.startsWith('DTSTART') && start === null) start = readTime('DTSTART', line)
    else if (listed) dates[listed].push(...readTimes(listed, line))
    else if (/^(RRULE:|[A-Z]+=)/.test(line) && rule === null) rule = line.replace(/^RRULE:/, '')
    else
      throw refusal(`"${clip(line, 60)}" cannot be in a recurrence_rule`, {
        hint: 'Give one RRULE, at most one DTSTART line before it, and lines EXDATE and RDATE after it.',
      })
  }
  if (rule === null) throw refusal('recurrence_rule has no RRULE')
  for (const [name, list] of Object.entries(dates))
    if (list.length > DATES_MAX) throw refusal(`${name} has ${list.length} dates, more than ${DATES_MAX}`)
  return { rule, start, excluded: dates.EXDATE, added: dates.RDATE }
}

export interface Start {
  /** Wall-clock time, as if it were UTC. */
  readonly wall: number
  readonly allDay: boolean
  readonly utc: boolean
  readonly timeZone: string | undefined
}

/** Parses the times of a line, at least one. */
function readTimes(name: 'EXDATE' | 'RDATE', line: string): Start[] {
  const colon = line.lastIndexOf(':')
  const values = line.slice(colon + 1).split(',')
  return values.map(value => readTime(name, `${line.slice(0, colon)}:${value.trim()}`))
}

function readTime(name: 'DTSTART' | 'EXDATE' | 'RDATE', line: string): Start {
  const match =
    /^[A-Z]+(?:;VALUE=(?:DATE|DATE-TIME))?(?:;TZID=([^:;]+))?(?:;VALUE=(?:DATE|DATE-TIME))?:(\d{8})(?:T(\d{6})(Z?))?$/.exec(
      line,
    )
  const wall = match && wallOf(match[2]!, match[3])
  if (!match || wall === null)
    throw refusal(`"${clip(line, 60)}" is no ${name === 'DTSTART' ? 'start' : 'date'}`, {
      hint: `Write ${name}:20270401T090000 or ${name};VALUE=DATE:20270401.`,
    })
  const year = new Date(wall).getUTCFullYear()
  if (year < YEARS.from || year > YEARS.to) throw refusal(`${name} goes from ${YEARS.from} to ${YEARS.to}`)
  return { wall, allDay: match[3] === undefined, utc: match[4] === 'Z', timeZone: match[1] }
}

/** Parses the digits of a date and a time of day as a wall-clock time; null for an invalid one. */
export function wallOf(date: string, time = '000000'): number | null {
  const iso = `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}T${time.slice(0, 2)}:${time.slice(2, 4)}:${time.slice(4)}`
  const wall = Date.parse(`${iso}Z`)
  return Number.isNaN(wall) || localTime(wall) !== iso ? null : wall
}

/** Formats a wall-clock time as `YYYY-MM-DDTHH:MM:SS`. */
export function localTime(wall: number): string {
  return new Date(wall).toISOString().slice(0, 19)
}
