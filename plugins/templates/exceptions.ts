import { DAY_MS } from 'tasuki/plugin'
import { dayOf } from './calendar.ts'
import { DATES_MAX, localTime, readLines, type Lines } from './rule-lines.ts'
import { refusal } from './rule.ts'

/** Excluded and additional occurrences of a series; wall-clock times in milliseconds. */
export interface Exceptions {
  /** A time, or a whole day. */
  readonly excluded: readonly { readonly wall: number; readonly day: boolean }[]
  /** Ascending. */
  readonly added: readonly number[]
}

/** Serializes a rule: the value of RRULE, and lines EXDATE and RDATE in the local time of the series. */
export function formatRule(rule: string, { excluded, added }: Exceptions, allDay: boolean): string {
  const days = excluded.filter(({ day }) => day).map(({ wall }) => dateDigits(wall))
  const times = excluded.filter(({ day }) => !day).map(({ wall }) => timeDigits(wall))
  const additional = added.map(allDay ? dateDigits : timeDigits)
  const lines = [
    rule,
    ...(days.length > 0 ? [`EXDATE;VALUE=DATE:${days.join(',')}`] : []),
    ...(times.length > 0 ? [`EXDATE:${times.join(',')}`] : []),
    ...(added.length > 0 ? [`RDATE${allDay ? ';VALUE=DATE' : ''}:${additional.join(',')}`] : []),
  ]
  return lines.join('\n')
}

/** Parses the exceptions of lines. @param localOf converts a line's time to local time of the series @throws ToolError invalid_argument */
export function readExceptions(
  lines: Lines,
  allDay: boolean,
  localOf: (time: Lines['added'][number]) => number,
): Exceptions {
  const excluded = lines.excluded.map(time => ({
    wall: allDay ? dayStart(localOf(time)) : localOf(time),
    day: allDay || time.allDay,
  }))
  const added = lines.added.map(time => {
    if (time.allDay && !allDay)
      throw refusal('RDATE has a date without a time, and the series has times', {
        hint: 'Write RDATE:20270401T090000.',
      })
    return allDay ? dayStart(localOf(time)) : localOf(time)
  })
  return { excluded: sortBy(excluded, ({ wall }) => wall), added: sortBy(added, wall => wall) }
}

/** Parses a stored rule. */
export function splitRule(text: string): { readonly rule: string; readonly exceptions: Exceptions } {
  const end = text.indexOf('\n')
  if (end === -1) return { rule: text, exceptions: NO_EXCEPTIONS }
  const lines = readLines(text)
  const excluded = lines.excluded.map(({ wall, allDay }) => ({ wall, day: allDay }))
  return { rule: lines.rule, exceptions: { excluded, added: lines.added.map(({ wall }) => wall) } }
}
const NO_EXCEPTIONS: Exceptions = { excluded: [], added: [] }

/** Returns whether an occurrence of the rule is excluded. */
export function isExcluded({ excluded }: Exceptions, wall: number): boolean {
  return excluded.some(each => (each.day ? dayOf(each.wall) === dayOf(wall) : each.wall === wall))
}

/** Excludes an occurrence, or moves it to another time. Drops exceptions that are more than a year old. */
export function changeOccurrence(
  exceptions: Exceptions,
  wall: number,
  { to, allDay, now }: { readonly to: number | null; readonly allDay: boolean; readonly now: number },
): Exceptions {
  const isKept = (each: number): boolean => each >= now - 366 * DAY_MS
  const added = exceptions.added.filter(each => each !== wall && isKept(each))
  const excluded = exceptions.excluded.filter(each => isKept(each.wall) && (each.wall !== to || each.day !== allDay))
  excluded.push({ wall, day: allDay })
  if (to !== null) added.push(to)
  if (Math.max(excluded.length, added.length) > DATES_MAX)
    throw refusal(`A series leaves out or moves at most ${DATES_MAX} occurrences`, { hint: 'Make a new template.' })
  return { excluded: sortBy(excluded, each => each.wall), added: sortBy(added, each => each) }
}

function sortBy<T>(list: readonly T[], keyOf: (each: T) => number): T[] {
  return [...new Map(list.map(each => [JSON.stringify(each), each])).values()].toSorted((a, b) => keyOf(a) - keyOf(b))
}

const dayStart = (wall: number): number => dayOf(wall) * DAY_MS

const timeDigits = (wall: number): string => localTime(wall).replaceAll(/[-:]/g, '')
const dateDigits = (wall: number): string => timeDigits(wall).slice(0, 8)
