import { definePlugin } from 'tasuki/plugin'
import { eventsList } from './tools/events_list.ts'

export { createEvent, type NewEvent } from './create.ts'

export const plugin = definePlugin({
  name: 'events',
  version: '0.1.0',
  api: 1,
  group: 'events',
  dependsOn: ['projects', 'workflows', 'items'],
  tools: [eventsList],
})
