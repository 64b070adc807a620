const DAY = 86_400_000
const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA']

/** Implements RFC 5545 3.3.10 literally: it tests every day of every period. Slow, and independent of the product's code. */
export function* naiveOccurrences(rule: string, start: number, until: number): Generator<number> {
  const parts = new Map(rule.split(';').map(part => part.split('=') as [string, string]))
  const list = (name: string) => parts.get(name)?.split(',').map(Number)
  const freq = parts.get('FREQ')!
  const interval = Number(parts.get('INTERVAL') ?? 1)
  const firstDay = WEEKDAYS.indexOf(parts.get('WKST') ?? 'MO')
  const [months, weeks, yearDays, monthDays] = ['BYMONTH', 'BYWEEKNO', 'BYYEARDAY', 'BYMONTHDAY'].map(list)
  const days = parts
    .get('BYDAY')
    ?.split(',')
    .map(day => ({ ordinal: Number(day.slice(0, -2)), day: WEEKDAYS.indexOf(day.slice(-2)) }))
  const from = calendar(start)
  const startDay = Math.floor(start / DAY) * DAY
  const startHour = Math.floor((start - startDay) / 3_600_000)
  const startMinute = Math.floor((start - startDay) / 60_000) % 60
  const undated = !yearDays && !monthDays && !days && !weeks

  const matches = (time: number): boolean => {
    const { year, month, date, weekday } = calendar(time)
    const inMonth = calendar(Date.UTC(year, month, 0)).date
    const yearLength = (Date.UTC(year + 1, 0) - Date.UTC(year, 0)) / DAY
    const yearDay = (time - Date.UTC(year, 0)) / DAY + 1
    if (months && !months.includes(month)) return false
    if (weeks) {
      const { week, count } = weekOf(time, firstDay)
      if (!among(weeks, week, count)) return false
    }
    if (yearDays && !among(yearDays, yearDay, yearLength)) return false
    if (monthDays && !among(monthDays, date, inMonth)) return false
    if (days) {
      const [place, length] = freq === 'MONTHLY' || months ? [date, inMonth] : [yearDay, yearLength]
      const fits = days.some(({ ordinal, day }) => {
        if (day !== weekday) return false
        if (ordinal === 0) return true
        return ordinal > 0 ? Math.ceil(place / 7) === ordinal : Math.ceil((length - place + 1) / 7) === -ordinal
      })
      if (!fits) return false
    }
    if (freq === 'YEARLY' && weeks && !days) return weekday === from.weekday
    if (freq === 'YEARLY' && undated) return date === from.date && (months !== undefined || month === from.month)
    if (freq === 'MONTHLY' && undated) return date === from.date
    return freq !== 'WEEKLY' || days !== undefined || weekday === from.weekday
  }
  const range = (begin: number, end: number): number[] => {
    const found: number[] = []
    for (let time = begin; time < end; time += DAY) if (matches(time)) found.push(time)
    return found
  }
  const period = (n: number): { begin: number; end: number } => {
    switch (freq) {
      case 'YEARLY': {
        if (!weeks) return { begin: Date.UTC(from.year + n, 0), end: Date.UTC(from.year + n + 1, 0) }
        const year = weekOf(startDay, firstDay).year + n
        return { begin: yearOfWeeks(year, firstDay), end: yearOfWeeks(year + 1, firstDay) }
      }
      case 'MONTHLY':
        return { begin: Date.UTC(from.year, from.month - 1 + n), end: Date.UTC(from.year, from.month + n) }
      case 'WEEKLY': {
        const begin = startDay - ((from.weekday - firstDay + 7) % 7) * DAY + n * 7 * DAY
        return { begin, end: begin + 7 * DAY }
      }
      default:
        return { begin: startDay + n * DAY, end: startDay + (n + 1) * DAY }
    }
  }
  const sorted = (values: readonly number[]) => [...new Set(values)].toSorted((a, b) => a - b)
  const minutes = sorted(list('BYMINUTE') ?? [startMinute])
  const times = (day: number, hours: readonly number[]) =>
    hours.flatMap(hour => minutes.map(minute => day + (hour * 60 + minute) * 60_000))
  const chosen = (set: readonly number[]): readonly number[] => {
    const places = list('BYSETPOS')
    return places ? set.filter((_, n) => places.includes(n + 1) || places.includes(n - set.length)) : set
  }
  for (let n = 0; ; n += interval) {
    let set: readonly number[]
    let begin: number
    if (freq === 'HOURLY') {
      begin = startDay + (startHour + n) * 3_600_000
      const day = Math.floor(begin / DAY) * DAY
      const hour = (begin - day) / 3_600_000
      set = matches(day) && (list('BYHOUR') ?? [hour]).includes(hour) ? times(day, [hour]) : []
    } else {
      const span = period(n)
      begin = span.begin
      const hours = sorted(list('BYHOUR') ?? [startHour])
      set = range(span.begin, span.end).flatMap(day => times(day, hours))
    }
    if (begin > until) return
    for (const time of chosen(set)) if (time >= start && time <= until) yield time
  }
}

function calendar(time: number) {
  const date = new Date(time)
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    date: date.getUTCDate(),
    weekday: date.getUTCDay(),
  }
}

function among(list: readonly number[], value: number, count: number): boolean {
  return list.some(number => (number > 0 ? number : number + count + 1) === value)
}

/** Finds the start of week 1 of a year: the first week with at least four days in the year. */
function yearOfWeeks(year: number, firstDay: number): number {
  const newYear = Date.UTC(year, 0)
  const back = (new Date(newYear).getUTCDay() - firstDay + 7) % 7
  return newYear - back * DAY + (back <= 3 ? 0 : 7 * DAY)
}

function weekOf(time: number, firstDay: number): { year: number; week: number; count: number } {
  let year = new Date(time).getUTCFullYear() + 1
  while (time < yearOfWeeks(year, firstDay)) year--
  const begin = yearOfWeeks(year, firstDay)
  const week = 7 * DAY
  return { year, week: Math.floor((time - begin) / week) + 1, count: (yearOfWeeks(year + 1, firstDay) - begin) / week }
}
