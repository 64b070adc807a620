import { normalizeText } from 'tasuki/plugin'
/** Days from `from` up to but not including `to`, both `YYYY-MM-DD`. */
export interface DaySpan {
  readonly from: string
  readonly to: string
}

export interface Calendar {
  /** Today in the owner's time zone, `YYYY-MM-DD`. */
  readonly today: string
  /** First day of the week: 0 = Sunday, 1 = Monday … 6. */
  readonly weekStart: number
}

/** The accepted date forms, for help and errors. */
export const DATE_FORMS = [
  'YYYY-MM-DD',
  'YYYY-MM',
  'today',
  'tomorrow',
  'yesterday',
  '+7d',
  '-2w',
  '+1m',
  '-1y',
  'mon..sun: the next one, today included',
  'lastweek',
  'thisweek',
  'nextweek',
  'lastmonth',
  'thismonth',
  'nextmonth',
] as const

const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const LAST_YEAR = 9999
/** The day after the last date, which only ends a span; PostgreSQL reads it. */
const AFTER_LAST = `${LAST_YEAR + 1}-01-01`

/** Resolves a date word of the filter language; null for other words and for dates outside the years 1 to 9999. */
export function daySpan(word: string, calendar: Calendar): DaySpan | null {
  const text = normalizeText(word).toLowerCase()
  const today = parts(calendar.today)
  if (!today) throw new TypeError(`"${calendar.today}" is not a date`)
  const numbers = parts(text)
  if (numbers) return day(...numbers)
  const month = /^(\d{4})-(\d{2})$/.exec(text)
  if (month) return parts(`${text}-01`) && monthSpan(Number(month[1]), Number(month[2]))
  const offset = /^([+-])(\d{1,5})([dwmy])$/.exec(text)
  if (offset) return shiftDay(today, Number(offset[1] + offset[2]!), offset[3]!)
  const [year, monthNumber, dayNumber] = today
  const weekday = weekdayOf(calendar.today)
  const next = WEEKDAYS.indexOf(text)
  if (next >= 0) return day(year, monthNumber, dayNumber + ((next - weekday + 7) % 7))
  const weekBegin = dayNumber - ((weekday - calendar.weekStart + 7) % 7)
  switch (text) {
    case 'today':
      return day(...today)
    case 'tomorrow':
      return day(year, monthNumber, dayNumber + 1)
    case 'yesterday':
      return day(year, monthNumber, dayNumber - 1)
    case 'lastweek':
      return span([year, monthNumber, weekBegin - 7], [year, monthNumber, weekBegin])
    case 'thisweek':
      return span([year, monthNumber, weekBegin], [year, monthNumber, weekBegin + 7])
    case 'nextweek':
      return span([year, monthNumber, weekBegin + 7], [year, monthNumber, weekBegin + 14])
    case 'lastmonth':
      return monthSpan(year, monthNumber - 1)
    case 'thismonth':
      return monthSpan(year, monthNumber)
    case 'nextmonth':
      return monthSpan(year, monthNumber + 1)
    default:
      return null
  }
}

type YearMonthDay = readonly [year: number, month: number, day: number]

function parts(text: string): YearMonthDay | null {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (!match) return null
  const [year, month, date] = [Number(match[1]), Number(match[2]), Number(match[3])]
  return isoDate(year, month, date) === text ? [year, month, date] : null
}

const weekdayOf = (date: string): number => new Date(`${date}T00:00:00Z`).getUTCDay()

/** Formats a date; days and months beyond their range carry over. Null outside the years 1 to 9999 and the day after. */
function isoDate(year: number, month: number, date: number): string | null {
  const instant = new Date(0)
  instant.setUTCFullYear(year, month - 1, date)
  const inRange = instant.getUTCFullYear() >= 1 && instant.getUTCFullYear() <= LAST_YEAR
  if (instant.getTime() === Date.parse(`+0${AFTER_LAST}`)) return AFTER_LAST
  return inRange ? instant.toISOString().slice(0, 10) : null
}

function span(from: YearMonthDay, to: YearMonthDay): DaySpan | null {
  const [first, end] = [isoDate(...from), isoDate(...to)]
  return first !== null && end !== null ? { from: first, to: end } : null
}

function day(year: number, month: number, date: number): DaySpan | null {
  return span([year, month, date], [year, month, date + 1])
}

function monthSpan(year: number, month: number): DaySpan | null {
  return span([year, month, 1], [year, month + 1, 1])
}

function shiftDay([year, month, date]: YearMonthDay, count: number, unit: string): DaySpan | null {
  if (unit === 'd') return day(year, month, date + count)
  if (unit === 'w') return day(year, month, date + 7 * count)
  const months = unit === 'm' ? count : 12 * count
  // One month after 31 January is the last day of February.
  const lastDay = new Date(Date.UTC(2000, 0, 1))
  lastDay.setUTCFullYear(year, month - 1 + months + 1, 0)
  return day(year, month + months, Math.min(date, lastDay.getUTCDate()))
}
