import { defineTool, Type } from 'tasuki/plugin'
import { filtersOf } from '../query/compile-filter.ts'
import { searchHelp } from '../query/help.ts'

export const searchHelpTool = defineTool({
  name: 'search_help',
  class: 'R',
  title: 'Filter language reference',
  summary: 'Reference of the filter language that q and filters take.',
  rank: 180,
  input: {},
  output: Type.Object({
    version: Type.Integer(),
    grammar: Type.String(),
    fields: Type.Array(Type.Object({ key: Type.String(), example: Type.String() })),
  }),
  run: ctx => Promise.resolve(searchHelp(filtersOf(ctx.all))),
})
