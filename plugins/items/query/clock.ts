import type { ReadContext } from 'tasuki/plugin'
import { access } from '../../projects/index.ts'

const dayFormats = new Map<string, Intl.DateTimeFormat>()

/** Returns the calendar date of an instant in a time zone. */
export function dayIn(timeZone: string, instant: Date): string {
  // Creating a format takes a hundred times as long as using it.
  let format = dayFormats.get(timeZone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
    dayFormats.set(timeZone, format)
  }
  return format.format(instant)
}

/** Returns the time of day `HH:MM` of an instant in a time zone. */
export function clockIn(timeZone: string, instant: Date): string {
  const options = { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  return new Intl.DateTimeFormat('en-GB', options).format(instant)
}

/** Returns the time zone in which the due dates of an owner's items are, also for members. */
export function zoneOfOwner(ctx: ReadContext, ownerId: string): string {
  const { shared, timeZone } = access(ctx)
  return shared.find(share => share.ownerId === ownerId)?.timeZone ?? timeZone
}

interface Due {
  readonly system_status?: string
  readonly due_date?: string
  readonly due_time?: string
}

/** Returns a check of an owner's tasks that were read: whether they are open and past their due date and time, as `is:overdue` finds them. */
export function overdueCheck(ctx: ReadContext, ownerId: string): (task: Due) => boolean {
  const timeZone = zoneOfOwner(ctx, ownerId)
  const [today, clock] = [dayIn(timeZone, ctx.now), clockIn(timeZone, ctx.now)]
  return ({ system_status: status, due_date: day = today, due_time: time = clock }) =>
    status === 'open' && (day < today || (day === today && time < clock))
}
