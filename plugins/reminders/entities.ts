import { defineTable, p, type TablesOf } from 'tasuki/entities'
import { recordOfItem } from '../items/entities.ts'
import type { Recurrence } from '../templates/index.ts'

const ReminderSchema = defineTable('reminders.reminders', {
  properties: {
    ...recordOfItem,
    /** The user to remind. */
    userId: p.uuid(),
    /** Minutes before the due date; null for a fixed time. */
    leadTimeMinutes: p.integer().nullable(),
    /** The rule of the next due times; null = never repeats. */
    recurrence: p.json<Recurrence>().nullable(),
    /** When the reminder is due; for a relative reminder derived from the item, null while the item has no due date. */
    remindAt: p.datetime().nullable(),
    status: p.enum(['pending', 'sent', 'dismissed'] as const).default('pending'),
    sentAt: p.datetime().nullable(),
    createdAt: p.datetime(),
  },
  indexes: [
    { name: 'reminders_item', properties: ['ownerId', 'item'] },
    // The job reads the reminders of all owners at once.
    { name: 'reminders_due', properties: ['remindAt'], where: { status: 'pending' } },
  ],
})

export const entities = [ReminderSchema]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'reminders', typeof entities> {}
}
