import { definePlugin, lazyContributions } from 'tasuki/plugin'
import { points } from './points.ts'
import { eventsList } from './tools/events_list.ts'

export { createEvent } from './create.ts'
export { eventSeries, type EventSeries, type NewEvent, type NewSeries } from './points.ts'

export const plugin = definePlugin({
  name: 'events',
  dependsOn: ['projects', 'workflows', 'items'],
  optionalDependsOn: ['portal'],
  points,
  tools: [eventsList],
  contributes: [lazyContributions(['portal'], () => import('./on-portal.ts'))],
})
