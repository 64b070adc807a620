import { defineItemListTool } from '../../items/index.ts'
import { pendingOfItem } from '../reminder.repository.ts'
import { reminder } from '../reminder.ts'

export const remindersList = defineItemListTool({
  name: 'reminders_list',
  title: 'List reminders',
  summary: 'Lists the pending reminders of an item, the next first.',
  rank: 270,
  rows: 'reminders',
  row: reminder,
  sql: pendingOfItem,
})
