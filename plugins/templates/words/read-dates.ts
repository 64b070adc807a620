import { dateOf, DAY_MS, MINUTE_MS } from 'tasuki/plugin'
import { dayOf } from '../calendar.ts'
import { timeOf } from '../zone.ts'
import { monthEnd, readDate } from './days.ts'
import { englishDates, monthOf, MONTHS } from './english.ts'
import { japaneseDates } from './japanese.ts'
import { isJapanese, readParts, type Part } from './vocabulary.ts'

/** Returns the wall-clock time of the user in some minutes, as if it were UTC. */
export type Clock = (minutes: number) => number

/** Words that are dates only next to other words. */
const AMBIGUOUS =
  /^(?:sun|mon|wed|sat|\d+\/\d+|the \d+\w\w|(?:the )?end of .*|(?:morning|afternoon|evening|night)\b.*|.*(?:morning|afternoon|evening|night)s\b.*)$/
/** Times that are due times without a day. `3時` may be in the night or in the afternoon. */
const LONE_TIME =
  /^(?:(?:at |by )?\d.*[ap]m|(?:at|by) \d+:\d+|at noon|正午.*|(?:[7-9]|[12]\d)[時:].*|(?:午|朝|夕|夜|晩).*\d.*)$/

/**
 * Reads all of a text as a due date; null for other texts.
 * @returns `YYYY-MM-DD`, `HH:MM`, and the words of a range of times that begins then
 */
export function readDueDate(text: string, clock: Clock) {
  const part = readDatePart(text)
  if (part === null || AMBIGUOUS.test(text)) return null
  const { later, range = '', time } = part
  if (later !== undefined) return { date: dateOf(clock(later)), time: timeOf(clock(later)), range }
  const now = clock(0)
  const today = dayOf(now)
  const isOver = time !== undefined && time * MINUTE_MS <= now % DAY_MS
  const next = LONE_TIME.test(text) ? today + (isOver ? 1 : 0) : null
  const day = part.day ? part.day(today) : next
  // A day that is over is more likely a part of the title.
  if (day === null || day < today) return null
  return { date: dateOf(day * DAY_MS), time: time === undefined ? null : timeOf(time * MINUTE_MS), range }
}

const MONTH = new RegExp(`^(?:(${MONTHS})(?: (\\d{4}))?|(?:(\\d{4})年)?の?(\\d{1,2})月(末)?)$`)

/** Reads all of a text as a day, such as an end of a series; of a month, its first or last day. */
export function readDay(text: string, today: number, side: 'first' | 'last'): number | null {
  const [, name, yearAfter, yearBefore, number, end] = MONTH.exec(text) ?? []
  const month = name === undefined ? number : String(monthOf(name))
  if (month === undefined) return readDatePart(text)?.day?.(today) ?? null
  const first = readDate(monthEnd(today, -1) + 1, (yearAfter ?? yearBefore)!, month, '1')
  return first !== null && (side === 'last' || end) ? monthEnd(first) : first
}

function readDatePart(text: string): Part | null {
  const part = readParts(text, isJapanese(text) ? japaneseDates : englishDates)
  return typeof part === 'string' || part?.freq !== undefined ? null : part
}
