import { defineTool, nameKey, quoteName, reference, ToolError, Type, type ReadContext } from 'tasuki/plugin'
import { readEntries, readLeaving } from '../transition.repository.ts'
import { workflowTransition, type TransitionRow } from '../transition.ts'

const ENTRY = 'entry'

export const workflowTransitionsList = defineTool({
  name: 'workflow_transitions_list',
  class: 'R',
  group: 'workflow_transitions',
  title: 'List workflow transitions',
  summary: 'Lists the transitions that leave a state.',
  rank: 1030,
  input: { from_state_id: reference('Id or name; entry = where items come in.') },
  output: { transitions: Type.Array(workflowTransition) },
  rows: 'transitions',
  async run(ctx, { from_state_id }) {
    const text = nameKey(from_state_id)
    return { transitions: text === ENTRY ? await readEntries(ctx) : await requireLeaving(ctx, text, from_state_id) }
  },
})

async function requireLeaving(ctx: ReadContext, key: string, nameOrId: string): Promise<TransitionRow[]> {
  const all = await readLeaving(ctx, key)
  const own = all.filter(row => row.own)
  const rows = own.length > 0 ? own : all
  const [found, other] = rows
  if (!found)
    throw new ToolError('not_found', `There is no workflow state ${quoteName(nameOrId)}.`, {
      field: 'from_state_id',
      hint: 'workflow_states_list shows states with their ids; entry gives the transitions without a from state.',
    })
  if (other)
    throw new ToolError('ambiguous_ref', `${rows.length} of your workflows have a state ${quoteName(found.state)}.`, {
      field: 'from_state_id',
      hint: 'Give the id of one of them.',
      allowed: rows.map(row => row.id),
      details: { candidates: rows.map(row => ({ id: row.id, state: row.state, workflow: row.workflow })) },
    })
  return found.transitions
}
