import { rowsAboutUsers, timeZoneSaved, Type } from 'tasuki/plugin'
import { itemChanges, itemHas, itemSections } from '../items/points.ts'
import { followAllDueDates, followDueDates, hasPending, pendingOfItem } from './reminder.repository.ts'
import { reminder } from './reminder.ts'

/** Relative reminders follow the due date. */
const followDue = itemChanges(async (ctx, changes) => {
  const moved = changes.filter(({ kind }) => kind === 'item.due_date.changed' || kind === 'item.due_time.changed')
  if (moved.length > 0) await followDueDates(ctx, moved)
})

/** The reminded user may be a member; due dates are in the time zone of the item's owner. */
export const onUsers = [
  rowsAboutUsers({ table: 'reminders.reminders', column: 'user_id' }),
  timeZoneSaved(followAllDueDates),
]

export const onItems = [
  followDue,
  itemSections({ name: 'reminders', schema: Type.Array(reminder), sql: pendingOfItem }),
  itemHas({ value: 'reminder', summary: 'pending reminders', sql: () => hasPending }),
]
