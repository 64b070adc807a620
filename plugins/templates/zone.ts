import { dateOf, DAY_MS } from 'tasuki/plugin'

const formats = new Map<string, Intl.DateTimeFormat>()

function getFormatter(timeZone: string): Intl.DateTimeFormat {
  let formatter = formats.get(timeZone)
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
    formats.set(timeZone, formatter)
  }
  return formatter
}

/** Returns the wall-clock time of an instant, as if it were UTC; both in milliseconds. */
export function wallClock(instant: number, timeZone: string): number {
  const parts: Record<string, number> = {}
  let before = 0
  for (const { type, value } of getFormatter(timeZone).formatToParts(instant)) {
    if (type === 'era') before = value === 'BC' ? 1 : 0
    else parts[type] = Number(value)
  }
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  const milliseconds = ((instant % 1000) + 1000) % 1000
  return (
    new Date(0).setUTCFullYear(before ? 1 - year : year, month - 1, day) +
    ((hour * 60 + minute) * 60 + second) * 1000 +
    milliseconds
  )
}

/** Returns the instant of a wall-clock time: the first one if it occurs twice, null if clocks skip it (RFC 5545 3.3.5 and 3.3.10). */
export function instantOf(wall: number, timeZone: string): number | null {
  const steady = steadyOffset(wall, timeZone)
  if (steady !== null) return wall - steady
  const guesses = [-DAY_MS, DAY_MS].map(distance => wall - offsetAt(wall + distance, timeZone))
  return guesses.toSorted((a, b) => a - b).find(guess => wallClock(guess, timeZone) === wall) ?? null
}

/** Returns the first instant of a date, given as its midnight; null for a date that the time zone skipped. */
export function startOfDay(midnight: number, timeZone: string): number | null {
  const exact = instantOf(midnight, timeZone)
  if (exact !== null) return exact
  // Midnight is skipped: with the former offset it is the instant of the clock change.
  const moved = midnight - offsetAt(midnight - DAY_MS, timeZone)
  return dateOf(wallClock(moved, timeZone)) === dateOf(midnight) ? moved : null
}

/** Cache of offsets at the start of days in UTC, for the last time zone; `Intl` takes microseconds per call. */
const offsetCache = { timeZone: '', offsets: new Map<number, number>() }
const KNOWN_MAX = 1000

/** Returns the offset of a time without a clock change nearby; null = there may be one. */
function steadyOffset(wall: number, timeZone: string): number | null {
  if (offsetCache.timeZone !== timeZone || offsetCache.offsets.size > KNOWN_MAX) {
    offsetCache.timeZone = timeZone
    offsetCache.offsets.clear()
  }
  const day = Math.floor(wall / DAY_MS)
  const cached = (n: number): number => {
    let offset = offsetCache.offsets.get(n)
    if (offset === undefined) offsetCache.offsets.set(n, (offset = offsetAt(n * DAY_MS, timeZone)))
    return offset
  }
  // No time zone differs from UTC by more than a day, and none changes its clocks twice within three days (1900 to 2037).
  const offset = cached(day - 1)
  return cached(day + 2) === offset ? offset : null
}

function offsetAt(instant: number, timeZone: string): number {
  return wallClock(instant, timeZone) - instant
}

/** Formats the time of a wall-clock time as `HH:MM`. */
export function timeOf(wall: number): string {
  return new Date(wall).toISOString().slice(11, 16)
}
