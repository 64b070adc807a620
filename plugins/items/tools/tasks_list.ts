import { defineTool, Type, widen } from 'tasuki/plugin'
import { dueParams, listItems, listOutput, listParams, sortParams, type ListInput } from '../list.ts'
import { includeFlags } from '../read.ts'

const Input = Type.Object({ ...listParams, ...dueParams, ...sortParams }, { additionalProperties: false })

export const tasksList = defineTool({
  name: 'tasks_list',
  class: 'R',
  title: 'List tasks',
  summary:
    'Lists tasks with due date, priority, status and a body excerpt; archived ones only with q=is:archived. Use items_grep for text search over everything, items_facet for counts.',
  rank: 100,
  rows: 'items',
  input: all => widen(Input, includeFlags(all)),
  output: listOutput,
  run: (ctx, input) => listItems(ctx, 'task', input as ListInput),
})
