import { ToolError } from './errors.ts'
import { byNearness } from './nearest.ts'
import { normalizeText } from './normalize-text.ts'
import { quoteName } from './quote-name.ts'

/**
 * Returns the name of a time zone in the time zone database; null = there is none. The database engine reads offsets such as `+09:00`
 * with the opposite sign, and abbreviations such as `CET` without daylight saving, so only the normalized name may be stored.
 */
export function normalizeTimeZone(name: string): string | null {
  const text = normalizeText(name).trim()
  if (!/^[a-z]/i.test(text)) return null
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone
  } catch {
    return null
  }
}

/** Normalizes the name of a time zone to that of the time zone database. @throws ToolError invalid_argument */
export function requireTimeZone(name: string, field = 'timezone'): string {
  const known = normalizeTimeZone(name)
  if (known !== null) return known
  throw new ToolError('invalid_argument', `${quoteName(name)} is not an IANA time zone.`, {
    field,
    hint: 'Write it like Asia/Tokyo or Europe/Berlin.',
    allowed: byNearness(normalizeText(name).trim(), Intl.supportedValuesOf('timeZone')).slice(0, 5),
  })
}
