import { dateOf, DAY_MS } from 'tasuki/plugin'

/**
 * Returns a month as a calendar shows it: whole weeks of seven days `YYYY-MM-DD`, which begin on Monday.
 * @param asked `YYYY-MM` from 1900 to 2999; anything else is the month of `today`
 */
export function monthOf(asked: string | undefined, today: string) {
  const name = /^(?:19|2\d)\d\d-(?:0[1-9]|1[0-2])$/.test(asked ?? '') ? asked! : today.slice(0, 7)
  const [year, month] = name.split('-').map(Number) as [number, number]
  const first = Date.UTC(year, month - 1, 1)
  const last = Date.UTC(year, month, 0)
  // 1 January 1970 was a Thursday.
  const begin = first - ((((first / DAY_MS + 3) % 7) + 7) % 7) * DAY_MS
  const weeks: string[][] = []
  for (let monday = begin; monday <= last; monday += 7 * DAY_MS)
    weeks.push(Array.from({ length: 7 }, (_, n) => dateOf(monday + n * DAY_MS)))
  return { name, weeks, previous: dateOf(first - DAY_MS).slice(0, 7), next: dateOf(last + DAY_MS).slice(0, 7) }
}
