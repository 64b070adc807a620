import { defineTool, Type, widen } from 'tasuki/plugin'
import { dueParams, filterMisnomers, listItems, listOutput, listParams, sortParams, type ListInput } from '../list.ts'
import { includeFlags } from '../read.ts'

const Input = Type.Object({ ...listParams, ...dueParams, ...sortParams })

export const tasksList = defineTool({
  name: 'tasks_list',
  class: 'R',
  title: 'List tasks',
  summary:
    'Lists tasks with due date, priority, status and a body excerpt; archived ones only with q=is:archived. For text use items_grep, for counts items_facet.',
  rank: 30,
  rows: 'items',
  rowTool: 'items_context_get',
  input: all => widen(Input, includeFlags(all)),
  misnomers: filterMisnomers,
  output: listOutput,
  run: (ctx, input) => listItems(ctx, 'task', input as ListInput),
})
