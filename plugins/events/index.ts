import { definePlugin } from 'tasuki/plugin'
import { points } from './points.ts'
import { eventsList } from './tools/events_list.ts'

export { createEvent } from './create.ts'
export { eventSeries, type EventSeries, type NewEvent, type NewSeries } from './points.ts'

export const plugin = definePlugin({
  name: 'events',
  dependsOn: ['projects', 'workflows', 'items'],
  points,
  tools: [eventsList],
})
