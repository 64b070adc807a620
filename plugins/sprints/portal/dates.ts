import type { Visit } from '../../portal/index.ts'
import { sprintTexts } from './texts.ts'

/** Formats the planned days of a sprint for the user's language; null without dates. The current year is omitted. */
export function datesText({ language, now }: Visit, from: string | null, to: string | null): string | null {
  const t = sprintTexts(language)
  const shown = (day: string): string => {
    const date = new Date(`${day}T00:00:00Z`)
    const year = date.getUTCFullYear() === now.getUTCFullYear() ? {} : ({ year: 'numeric' } as const)
    return date.toLocaleDateString(language, { month: 'short', day: 'numeric', timeZone: 'UTC', ...year })
  }
  if (from !== null && to !== null) return t.dates(shown(from), shown(to))
  if (from !== null) return t.from(shown(from))
  return to === null ? null : t.until(shown(to))
}
