import { defineTool, Type, widen } from 'tasuki/plugin'
import { filterMisnomers, includeFlags, listItems, listOutput, listParams, type ListInput } from '../../items/index.ts'

export const notesList = defineTool({
  name: 'notes_list',
  class: 'R',
  title: 'List notes',
  summary: 'Lists notes with a body excerpt, changed last first.',
  rank: 210,
  rows: 'items',
  input: all => widen(Type.Object(listParams), includeFlags(all)),
  misnomers: filterMisnomers,
  output: listOutput,
  run: (ctx, input) => listItems(ctx, 'note', { ...(input as ListInput), sort: 'updated' }),
})
