import { defineTool, sql, Type } from 'tasuki/plugin'
import { itemRef, readWithItem } from '../../items/index.ts'
import { reminder, type Reminder } from '../reminder.ts'
import { pendingOfItem } from '../on-items.ts'

export const remindersList = defineTool({
  name: 'reminders_list',
  class: 'R',
  title: 'List reminders',
  summary: 'Lists the pending reminders of an item, the next first.',
  rank: 270,
  rows: 'reminders',
  input: Type.Object({ item_ref: itemRef() }, { additionalProperties: false }),
  output: Type.Object({ reminders: Type.Array(reminder) }),
  async run(ctx, { item_ref: ref }) {
    const { found } = await readWithItem<{ found: Reminder[] | null }>(ctx, ref, sql`(${pendingOfItem(ctx)}) as found`)
    return { reminders: found ?? [] }
  },
})
