import { formatDay, type Visit } from '../../portal/index.ts'
import { sprintTexts } from './texts.ts'

/** Formats the planned days of a sprint for the user's language; null without dates. */
export function datesText(visit: Visit, from: string | null, to: string | null): string | null {
  const t = sprintTexts(visit.language)
  if (from !== null && to !== null) return t.dates(formatDay(visit, from), formatDay(visit, to))
  if (from !== null) return t.from(formatDay(visit, from))
  return to === null ? null : t.until(formatDay(visit, to))
}
