import { defineTool, Type } from 'tasuki/plugin'
import { itemRef } from '../../items/index.ts'
import { readPending } from '../reminder.repository.ts'
import { reminder } from '../reminder.ts'

export const remindersList = defineTool({
  name: 'reminders_list',
  class: 'R',
  title: 'List reminders',
  summary: 'Lists the pending reminders of an item, the next first.',
  rank: 270,
  rows: 'reminders',
  input: { item_ref: itemRef() },
  output: { reminders: Type.Array(reminder) },
  async run(ctx, { item_ref: ref }) {
    return { reminders: await readPending(ctx, ref) }
  },
})
