import { normalizeText } from 'tasuki/worker'

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const pad = (text: string): string => text.padStart(2, '0')
const ISO = /^(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?/
/** Jira's notation: `14/Mar/26 10:01 AM`. */
const NAMED_MONTH = /^(\d{1,2})[/ -]([A-Za-z]{3})[a-z]*[/ -](\d{4}|\d{2})(?!\d)/
/** Notion's notation: `March 14, 2026 10:01 AM`. */
const MONTH_FIRST = /^([A-Za-z]{3})[a-z]*\.? (\d{1,2}),? (\d{4})(?!\d)/
/** Notation of Germany and others: `14.3.2026 10:01`. */
const DAY_FIRST = /^(\d{1,2})\.(\d{1,2})\.(\d{4})(?!\d)/
const CLOCK = /(\d{1,2}):(\d{2})(?::(\d{2}))?\s*([AaPp][Mm])?/

/**
 * Parses a day with the year first, the month by name or dots. `03/04/2026` is ambiguous between countries, so it is not a date.
 * @returns `YYYY-MM-DD`, or the unchanged text, which is later rejected with its row
 */
export function readDay(text: string): string {
  const plain = normalizeText(text).trim().replace(MONTH_FIRST, '$2 $1 $3').replace(DAY_FIRST, '$3-$2-$1')
  const numbers = ISO.exec(plain)
  if (numbers) return `${numbers[1]}-${pad(numbers[2]!)}-${pad(numbers[3]!)}`
  const [, day, name, year] = NAMED_MONTH.exec(plain) ?? []
  const month = MONTHS.indexOf(name?.toLowerCase() ?? '') + 1
  if (month === 0) return text
  return `${year!.length === 2 ? `20${year}` : year}-${pad(String(month))}-${pad(day!)}`
}

/** Returns the time of day in a text such as `2026-12-01 10:30` or `Dec 5 2026 4pm`, as HH:MM; undefined if there is none. */
export function readTime(text: string): string | undefined {
  const [, hours, minutes = '00', half] =
    /(?:^|[T ])(\d{1,2})(?::(\d{2})(?!\d)|(?=\s*[ap]m\b))(?::\d{2})?\s*([ap]m\b)?/i.exec(normalizeText(text)) ?? []
  if (hours === undefined) return undefined
  const hour = hourOf(hours, half)
  return hour > 23 || Number(minutes) > 59 ? undefined : `${pad(String(hour))}:${minutes}`
}

/** An instant that says its zone. */
const ZONED = /^\d{4}-\d{2}-\d{2}T.*(Z|[+-]\d{2}:?\d{2})$/

/** Returns the instant of a text that says its zone; null for days and local times. */
export function readZoned(text = ''): Date | null {
  const plain = normalizeText(text).trim()
  return ZONED.test(plain) && !Number.isNaN(Date.parse(plain)) ? new Date(plain) : null
}

/** Parses a day as `readDay` does; an instant stays, because its day depends on the zone of the owner. */
export const readDate = (text: string): string => (readZoned(text) ? text : readDay(text))

/** Returns the time of day in a text with a date; midnight stands for a day without a time. */
export function readDueTime(text: string | undefined): string | undefined {
  const time = readZoned(text) ? undefined : readTime(text ?? '')
  return time === '00:00' ? undefined : time
}

/** Parses a time; without a zone it is UTC. @returns ISO 8601, or undefined for other texts */
export function readInstant(text: string): string | undefined {
  const plain = normalizeText(text).trim()
  const day = readDay(plain)
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return undefined
  const exact = ZONED.test(plain) ? plain : `${day}T${clockOf(plain)}Z`
  const time = Date.parse(exact)
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}

function clockOf(text: string): string {
  const [, hours = '0', minutes = '00', seconds = '00', half] = CLOCK.exec(text) ?? []
  return `${pad(String(hourOf(hours, half)))}:${minutes}:${seconds}`
}

const hourOf = (hours: string, half: string | undefined): number =>
  half === undefined ? Number(hours) : (Number(hours) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0)
