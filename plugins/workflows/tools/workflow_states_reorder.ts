import { defineTool, quoteName, reference, ToolError, Type } from 'tasuki/plugin'
import { requireWorkflowDetail, workflowId, type WorkflowDetail } from '../find.ts'
import { updateOrder } from '../state.repository.ts'
import { briefState, resolveState, type WorkflowStateRow } from '../state.ts'
import { recordWorkflowChange } from '../write.ts'

export const workflowStatesReorder = defineTool({
  name: 'workflow_states_reorder',
  class: 'W',
  title: 'Reorder workflow states',
  summary: 'Orders the states of a workflow of yours.',
  rank: 1060,
  input: {
    workflow_id: workflowId,
    state_ids: Type.Array(reference(), { maxItems: 1000, description: 'Every state once.' }),
  },
  output: { states: Type.Array(briefState), changed: Type.Array(Type.String()) },
  async run(ctx, { workflow_id, state_ids }) {
    const workflow = await requireWorkflowDetail(ctx, workflow_id, { edit: true, lock: true })
    const ordered = readOrder(workflow, state_ids)
    const states = ordered.map((state, index) => ({ ...state, display_order: index + 1 }))
    if (states.every((state, index) => state.display_order === ordered[index]!.display_order))
      return { states, changed: [] }
    await updateOrder(ctx, workflow, states)
    const names = (list: readonly WorkflowStateRow[]): object => ({ states: list.map(({ name }) => name) })
    await recordWorkflowChange(ctx, workflow, {
      kind: 'workflow.states.reordered',
      of: workflow,
      before: names(workflow.states),
      after: names(states),
    })
    return { states, changed: ['display_order'] }
  },
})

function readOrder(workflow: WorkflowDetail, texts: readonly string[]): WorkflowStateRow[] {
  const found = texts.map(text => resolveState(workflow.states, text))
  const ordered = found.filter(state => state !== null)
  const distinct = new Set(ordered)
  const unknown = texts.filter((_text, index) => found[index] === null)
  const duplicate = [...distinct].filter(state => ordered.indexOf(state) !== ordered.lastIndexOf(state))
  const missing = workflow.states.filter(state => !distinct.has(state))
  if (unknown.length + duplicate.length + missing.length === 0) return ordered
  const list = (what: string, names: readonly string[]): string[] =>
    names.length > 0 ? [`${what} ${names.map(name => quoteName(name)).join(', ')}`] : []
  const names = (states: readonly WorkflowStateRow[]): string[] => states.map(({ name }) => name)
  const problems = [
    ...list('misses', names(missing)),
    ...list('repeats', names(duplicate)),
    ...list('has unknown', unknown.slice(0, 20)),
  ]
  throw new ToolError('invalid_argument', `state_ids ${problems.join('; ')}.`, {
    field: 'state_ids',
    hint: `List each of the ${workflow.states.length} active states of ${quoteName(workflow.name)} exactly once.`,
    allowed: workflow.states.map(({ id }) => id),
    details: { missing: missing.map(brief), duplicate: duplicate.map(brief), unknown: unknown.slice(0, 20) },
  })
}

const brief = ({ id, name }: WorkflowStateRow): object => ({ id, name })
