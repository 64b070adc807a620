import { byNearness, quoteName, ToolError } from 'tasuki/plugin'

const DAY = 86_400_000

const formats = new Map<string, Intl.DateTimeFormat>()

function format(timeZone: string): Intl.DateTimeFormat {
  let made = formats.get(timeZone)
  if (!made) {
    made = new Intl.DateTimeFormat('en-US', {
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
    formats.set(timeZone, made)
  }
  return made
}

/** The name of a time zone as the database of time zones writes it. @throws ToolError invalid_argument */
export function requireTimeZone(name: string): string {
  const text = name.normalize('NFKC').trim()
  const known = zoneNamed(text)
  if (known !== null) return known
  throw new ToolError('invalid_argument', `${quoteName(name)} is not an IANA time zone.`, {
    field: 'timezone',
    hint: 'Write it like Asia/Tokyo or Europe/Berlin.',
    allowed: byNearness(text, Intl.supportedValuesOf('timeZone')).slice(0, 5),
  })
}

function zoneNamed(text: string): string | null {
  // Offsets like +09:00 know no daylight saving, so a rule could not follow the clock of a place.
  if (!/^[a-z]/i.test(text)) return null
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone
  } catch {
    return null
  }
}

/** What a clock shows at an instant, written as if it were UTC; both in milliseconds. */
export function wallClock(instant: number, timeZone: string): number {
  const parts: Record<string, number> = {}
  let before = 0
  for (const { type, value } of format(timeZone).formatToParts(instant)) {
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

/**
 * When a clock shows a time: the first instant where it shows it twice, null where it never does because the clocks were moved
 * forward (RFC 5545 3.3.5 and 3.3.10).
 */
export function instantOf(wall: number, timeZone: string): number | null {
  const steady = steadyOffset(wall, timeZone)
  if (steady !== null) return wall - steady
  const guesses = [-DAY, DAY].map(distance => wall - offset(wall + distance, timeZone))
  return guesses.toSorted((a, b) => a - b).find(guess => wallClock(guess, timeZone) === wall) ?? null
}

/** The first instant of a date, given as its midnight; null for a date that a place has left out. */
export function startOfDay(midnight: number, timeZone: string): number | null {
  const exact = instantOf(midnight, timeZone)
  if (exact !== null) return exact
  // Midnight is skipped: with the offset of before, it is the instant at which the clocks move.
  const moved = midnight - offset(midnight - DAY, timeZone)
  return dateOf(wallClock(moved, timeZone)) === dateOf(midnight) ? moved : null
}

/** Offsets at the beginning of days in UTC, of the zone that was asked for last; asking `Intl` takes microseconds. */
const known = { timeZone: '', offsets: new Map<number, number>() }
const KNOWN_MAX = 1000

/** The offset of a time around which the clocks are not moved; null = they may be. */
function steadyOffset(wall: number, timeZone: string): number | null {
  if (known.timeZone !== timeZone || known.offsets.size > KNOWN_MAX) {
    known.timeZone = timeZone
    known.offsets.clear()
  }
  const day = Math.floor(wall / DAY)
  let steady: number | null = null
  // No clock is further than a day from UTC.
  for (let n = day - 1; n <= day + 2; n++) {
    let found = known.offsets.get(n)
    if (found === undefined) known.offsets.set(n, (found = offset(n * DAY, timeZone)))
    if (steady !== null && found !== steady) return null
    steady = found
  }
  return steady
}

function offset(instant: number, timeZone: string): number {
  return wallClock(instant, timeZone) - instant
}

/** `YYYY-MM-DD` of a wall-clock time. */
export function dateOf(wall: number): string {
  return new Date(wall).toISOString().slice(0, 10)
}

/** `HH:MM` of a wall-clock time. */
export function timeOf(wall: number): string {
  return new Date(wall).toISOString().slice(11, 16)
}
