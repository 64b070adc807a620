import { defineTool, Type, widen } from 'tasuki/plugin'
import {
  dueParams,
  filterMisnomers,
  includeFlags,
  listItems,
  listOutput,
  listParams,
  type ListInput,
} from '../../items/index.ts'

export const eventsList = defineTool({
  name: 'events_list',
  class: 'R',
  title: 'List events',
  summary: 'Lists calendar events by date.',
  rank: 290,
  rows: 'items',
  gates: ['calendar'],
  input: all => widen(Type.Object({ ...listParams, ...dueParams }), includeFlags(all)),
  misnomers: filterMisnomers,
  output: listOutput,
  run: (ctx, input) => listItems(ctx, 'event', input as ListInput, { feature: 'calendar' }),
})
