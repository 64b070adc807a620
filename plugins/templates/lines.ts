import { clip } from 'tasuki/plugin'
import { refusal } from './rule.ts'

/** Years in which series may begin. */
const YEARS = { from: 1900, to: 2199 }

/** Lines of iCalendar; anything but RRULE and DTSTART is refused, because leaving it out would change the series. */
export function readLines(text: string): { rule: string; start: Start | null } {
  const lines = text
    .normalize('NFKC')
    .toUpperCase()
    .split(/[\r\n]+/)
    .map(line => line.trim())
    .filter(line => line !== '')
  let rule: string | null = null
  let start: Start | null = null
  for (const line of lines) {
    if (line.startsWith('DTSTART') && start === null) start = readStart(line)
    else if (/^(RRULE:|[A-Z]+=)/.test(line) && rule === null) rule = line.replace(/^RRULE:/, '')
    else
      throw refusal(`"${clip(line, 60)}" cannot be in a recurrence_rule`, {
        hint: 'Give one RRULE, and at most one DTSTART line before it.',
      })
  }
  if (rule === null) throw refusal('recurrence_rule has no RRULE')
  return { rule, start }
}

export interface Start {
  /** As if it were UTC. */
  readonly wall: number
  readonly allDay: boolean
  readonly utc: boolean
  readonly timeZone: string | undefined
}

function readStart(line: string): Start {
  const match =
    /^DTSTART(?:;VALUE=(?:DATE|DATE-TIME))?(?:;TZID=([^:;]+))?(?:;VALUE=(?:DATE|DATE-TIME))?:(\d{8})(?:T(\d{6})(Z?))?$/.exec(
      line,
    )
  const wall = match && wallOf(match[2]!, match[3])
  if (!match || wall === null) {
    throw refusal(`"${line}" is no start`, { hint: 'Write DTSTART:20270401T090000 or DTSTART;VALUE=DATE:20270401.' })
  }
  const year = new Date(wall).getUTCFullYear()
  if (year < YEARS.from || year > YEARS.to) throw refusal(`DTSTART goes from ${YEARS.from} to ${YEARS.to}`)
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
