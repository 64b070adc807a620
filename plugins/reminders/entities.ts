import { defineTable, p, type TablesOf } from 'tasuki/entities'
import { recordOfItem } from '../items/entities.ts'
import type { Recurrence } from '../templates/index.ts'

const ReminderSchema = defineTable('reminders.reminders', {
  properties: {
    ...recordOfItem,
    /** Who is reminded. */
    userId: p.uuid(),
    /** Minutes before the due date; null = at a fixed instant. */
    leadTimeMinutes: p.integer().nullable(),
    /** When it is due again after it was sent; null = never. */
    recurrence: p.json<Recurrence>().nullable(),
    /** When it is due; of a relative reminder derived from the item, null while the item has no due date. */
    remindAt: p.datetime().nullable(),
    status: p.enum(['pending', 'sent', 'dismissed'] as const).default('pending'),
    sentAt: p.datetime().nullable(),
    createdAt: p.datetime(),
  },
  indexes: [
    { name: 'reminders_item', properties: ['ownerId', 'item'] },
    // The job reads all owners at once.
    { name: 'reminders_due', properties: ['remindAt'], where: { status: 'pending' } },
  ],
})

export const entities = [ReminderSchema]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'reminders', typeof entities> {}
}
