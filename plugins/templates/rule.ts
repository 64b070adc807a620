import { nearest, ToolError } from 'tasuki/plugin'
import { WEEKDAYS } from './calendar.ts'

const FREQUENCIES = ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY', 'HOURLY'] as const
export type Frequency = (typeof FREQUENCIES)[number]
const TOO_FINE = ['MINUTELY', 'SECONDLY']

const INTERVAL_MAX = 1000
/** A longer series should end by a date. */
const COUNT_MAX = 1000

/** Parts that are lists of numbers: their range, and whether they may count from the end. */
const LISTS = {
  BYMONTH: { from: 1, to: 12, signed: false },
  BYWEEKNO: { from: 1, to: 53, signed: true },
  BYYEARDAY: { from: 1, to: 366, signed: true },
  BYMONTHDAY: { from: 1, to: 31, signed: true },
  BYHOUR: { from: 0, to: 23, signed: false },
  BYMINUTE: { from: 0, to: 59, signed: false },
  BYSECOND: { from: 0, to: 0, signed: false },
  BYSETPOS: { from: 1, to: 366, signed: true },
} as const
type ListPart = keyof typeof LISTS
const PARTS = ['FREQ', 'INTERVAL', 'COUNT', 'UNTIL', 'WKST', 'BYDAY', ...Object.keys(LISTS)]

/** A recurrence rule (RFC 5545 3.3.10). */
export interface Rule {
  readonly freq: Frequency
  readonly interval: number
  readonly count: number | null
  /** As in the rule: `YYYYMMDD`, `YYYYMMDDTHHMMSS` or the same with `Z`. */
  readonly until: string | null
  /** All other parts, unparsed, in order and upper case. */
  readonly parts: ReadonlyMap<string, string>
}

/** Parses the value of an RRULE. @throws ToolError invalid_argument with the invalid part */
export function readRule(text: string): Rule {
  const parts = new Map<string, string>()
  for (const piece of text.split(';')) {
    if (piece === '') continue
    const [, name, value] = /^([A-Z-]+)=(.+)$/.exec(piece) ?? refuse(`"${piece}" is not a part of a recurrence rule`)
    if (!PARTS.includes(name!)) {
      const close = nearest(name!, PARTS)
      throw refusal(`A recurrence rule has no part ${name} here`, {
        ...(close !== null && { hint: `Did you mean ${close}?` }),
        allowed: PARTS,
      })
    }
    if (parts.has(name!)) refuse(`${name} is given twice`)
    parts.set(name!, value!)
  }
  const freq = frequency(take(parts, 'FREQ'))
  const interval = parseWhole('INTERVAL', take(parts, 'INTERVAL') ?? '1', INTERVAL_MAX)
  const counted = take(parts, 'COUNT')
  const count = counted === null ? null : parseWhole('COUNT', counted, COUNT_MAX)
  const until = take(parts, 'UNTIL')
  if (until !== null && !/^\d{8}(T\d{6}Z?)?$/.test(until))
    refuse(`UNTIL=${until} is not a date or time like 20271231T235959Z`)
  if (count !== null && until !== null) refuse('COUNT and UNTIL exclude each other')
  for (const [name, value] of parts) checkPart(name, value, freq, parts)
  checkTogether(freq, parts)
  return { freq, interval, count, until, parts }
}

/** Serializes the rule, with parts replaced or (null) removed. */
export function ruleText({ freq, interval, count, until, parts }: Rule): string {
  const pieces = [`FREQ=${freq}`]
  if (interval > 1) pieces.push(`INTERVAL=${interval}`)
  if (count !== null) pieces.push(`COUNT=${count}`)
  if (until !== null) pieces.push(`UNTIL=${until}`)
  for (const [name, value] of parts) pieces.push(`${name}=${value}`)
  return pieces.join(';')
}

function frequency(value: string | null): Frequency {
  if (value === null) throw refusal('A recurrence rule needs FREQ', { allowed: FREQUENCIES })
  const known = FREQUENCIES.find(name => name === value)
  if (known) return known
  throw refusal(TOO_FINE.includes(value) ? `FREQ=${value} is finer than HOURLY` : `FREQ=${value} is no frequency`, {
    allowed: FREQUENCIES,
  })
}

function parseWhole(name: string, value: string, most: number): number {
  const number = /^\d{1,9}$/.test(value) ? Number(value) : 0
  if (number < 1 || number > most) refuse(`${name}=${value} is not a whole number from 1 to ${most}`)
  return number
}

function checkPart(name: string, value: string, freq: Frequency, parts: ReadonlyMap<string, string>): void {
  if (name === 'WKST') {
    if (!WEEKDAYS.includes(value)) throw refusal(`WKST=${value} is no weekday`, { allowed: WEEKDAYS })
  } else if (name === 'BYDAY') checkDays(value, freq, parts)
  else checkList(name as ListPart, value)
}

function checkList(name: ListPart, value: string): void {
  const { from, to, signed } = LISTS[name]
  for (const item of value.split(',')) {
    const number = (signed ? /^[+-]?\d{1,3}$/ : /^\d{1,2}$/).test(item) ? Math.abs(Number(item)) : -1
    if (number >= from && number <= to) continue
    if (name === 'BYSECOND') refuse(`BYSECOND=${value} is finer than a minute; tasks are due at full minutes`)
    refuse(`${name} cannot be ${item}; it goes from ${from} to ${to}${signed ? ', negative from the end' : ''}`)
  }
}

function checkDays(value: string, freq: Frequency, parts: ReadonlyMap<string, string>): void {
  const days = value
    .split(',')
    .map(
      item =>
        /^([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)$/.exec(item) ??
        refuse(`BYDAY cannot be ${item}; write MO or 2MO or -1FR`),
    )
  const numbered = days.filter(([, ordinal]) => ordinal !== undefined)
  if (numbered.length === 0) return
  if (freq !== 'MONTHLY' && freq !== 'YEARLY')
    refuse(`BYDAY=${value} counts weekdays, which only MONTHLY and YEARLY rules can`)
  if (parts.has('BYWEEKNO')) refuse(`BYDAY=${value} cannot count weekdays together with BYWEEKNO`)
  if (parts.has('BYYEARDAY')) refuse(`BYDAY=${value} cannot count weekdays together with BYYEARDAY`)
  const most = freq === 'MONTHLY' || parts.has('BYMONTH') ? 5 : 53
  for (const [day, ordinal] of numbered) {
    const number = Math.abs(Number(ordinal))
    if (number < 1 || number > most)
      refuse(`BYDAY cannot be ${day}; it counts from 1 to ${most}, negative from the end`)
  }
}

/** Rejects combinations that RFC 5545 forbids or leaves undefined. */
function checkTogether(freq: Frequency, parts: ReadonlyMap<string, string>): void {
  const has = (name: string) => parts.has(name)
  if (has('BYWEEKNO') && freq !== 'YEARLY') refuse(`BYWEEKNO is for YEARLY rules, not ${freq}`)
  if (has('BYYEARDAY') && freq !== 'YEARLY' && freq !== 'HOURLY')
    refuse(`BYYEARDAY is for YEARLY and HOURLY rules, not ${freq}`)
  if (has('BYMONTHDAY') && freq === 'WEEKLY') refuse('BYMONTHDAY cannot be in a WEEKLY rule')
  const others = [...parts.keys()].filter(name => name.startsWith('BY') && name !== 'BYSETPOS' && name !== 'BYSECOND')
  if (has('BYSETPOS') && others.length === 0) refuse('BYSETPOS needs another BY part to choose from')
  if (freq !== 'YEARLY') return
  const dates = ['BYMONTHDAY', 'BYYEARDAY', 'BYWEEKNO'].filter(has)
  if (dates.length > 1) refuse(`${dates.join(' and ')} cannot be combined`, 'Use one of them.')
}

function take(parts: Map<string, string>, name: string): string | null {
  const value = parts.get(name) ?? null
  parts.delete(name)
  return value
}

function refuse(problem: string, hint?: string): never {
  throw refusal(problem, { ...(hint !== undefined && { hint }) })
}

/** Creates an error about the parameter `recurrence_rule`. */
export function refusal(problem: string, help: { hint?: string; allowed?: readonly string[] } = {}): ToolError {
  return new ToolError('invalid_argument', `${problem}.`, {
    field: 'recurrence_rule',
    hint: 'Write an RFC 5545 rule, for example FREQ=WEEKLY;BYDAY=MO;BYHOUR=9, or words such as "every Monday at 9:00".',
    ...help,
  })
}
