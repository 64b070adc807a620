import { clip, normalizeText } from 'tasuki/plugin'
import { refusal } from './rule.ts'
import { isInWords, readWords } from './words/read-words.ts'

/** Years in which series may begin. */
const YEARS = { from: 1900, to: 2199 }
/** Dates that a series may leave out or add. */
export const DATES_MAX = 200

export interface Lines {
  readonly rule: string
  readonly start: Start | null
  /** Occurrences that are left out, of EXDATE. */
  readonly excluded: readonly Start[]
  /** Occurrences beside those of the rule, of RDATE. */
  readonly added: readonly Start[]
}

/** Lines of iCalendar, the rule also in words; other lines are refused, because leaving them out would change the series. */
export function readLines(text: string): Lines {
  const lines = normalizeText(text)
    .toUpperCase()
    .split(/[\r\n]+/)
    .map(line => line.trim())
    .filter(line => line !== '')
  let rule: string | null = null
  let start: Start | null = null
  const dates: { EXDATE: Start[]; RDATE: Start[] } = { EXDATE: [], RDATE: [] }
  for (const line of lines) {
    const listed = /^(EXDATE|RDATE)(?=[;:])/.exec(line)?.[1] as keyof typeof dates | undefined
    if (line.startsWith('DTSTART') && start === null) start = readTime('DTSTART', line)
    else if (listed) dates[listed].push(...readTimes(listed, line))
    else if (/^(RRULE:|[A-Z]+=)/.test(line) && rule === null) rule = line.replace(/^RRULE:/, '')
    else if (rule === null && isInWords(line)) rule = readWords(line)
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
  /** As if it were UTC. */
  readonly wall: number
  readonly allDay: boolean
  readonly utc: boolean
  readonly timeZone: string | undefined
}

/** The times of a line, which has one or more of them. */
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
  if (!match || wall === null) {
    throw refusal(`"${clip(line, 60)}" is no ${name === 'DTSTART' ? 'start' : 'date'}`, {
      hint: `Write ${name}:20270401T090000 or ${name};VALUE=DATE:20270401.`,
    })
  }
  const year = new Date(wall).getUTCFullYear()
  if (year < YEARS.from || year > YEARS.to) throw refusal(`${name} goes from ${YEARS.from} to ${YEARS.to}`)
  return { wall, allDay: match[3] === undefined, utc: match[4] === 'Z', timeZone: match[1] }
}

/** Digits of a date and a time of day as a wall-clock time; null when there is no such. */
export function wallOf(date: string, time = '000000'): number | null {
  const iso = `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}T${time.slice(0, 2)}:${time.slice(2, 4)}:${time.slice(4)}`
  const wall = Date.parse(`${iso}Z`)
  return Number.isNaN(wall) || localTime(wall) !== iso ? null : wall
}

/** `YYYY-MM-DDTHH:MM:SS` of a wall-clock time. */
export function localTime(wall: number): string {
  return new Date(wall).toISOString().slice(0, 19)
}
