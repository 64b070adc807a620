import { rowsAboutUsers, timeZoneSaved, Type } from 'tasuki/plugin'
import { itemChanges, itemHas, itemSections } from '../items/points.ts'
import { followAllDueDates, followDueDates, hasPending, pendingOfItem } from './reminder.repository.ts'
import { reminder } from './reminder.ts'

/** Relative reminders follow the due date. */
const followDue = itemChanges(async (ctx, changes) => {
  const moved = changes.filter(({ kind }) => kind === 'item.due_date.changed' || kind === 'item.due_time.changed')
  if (moved.length === 0) return
  const stopped = new Set(await followDueDates(ctx, moved))
  for (const { itemId, ref, kind, warnings } of moved)
    if (stopped.has(itemId) && kind === 'item.due_date.changed')
      warnings?.push(
        `${ref} has no due date now, so its reminders before it is due wait until it has one; remind_at of reminders_patch gives one a time.`,
      )
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
