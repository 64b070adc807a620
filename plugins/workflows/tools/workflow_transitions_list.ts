import { defineTool, nameKey, reference, sql, ToolError, Type, type ReadContext } from 'tasuki/plugin'
import { readId, workflowVisible } from '../find.ts'
import { transitionsWhere, workflowTransition, type TransitionRow } from '../transition.ts'

const ENTRY = 'entry'

export const workflowTransitionsList = defineTool({
  name: 'workflow_transitions_list',
  class: 'R',
  group: 'workflow_transitions',
  title: 'List workflow transitions',
  summary: 'Lists the transitions that leave a state.',
  rank: 1030,
  input: Type.Object(
    {
      from_state_id: reference('Id or unique name; entry = where items come in.'),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ transitions: Type.Array(workflowTransition) }),
  rows: 'transitions',
  async run(ctx, { from_state_id }) {
    const text = nameKey(from_state_id)
    return { transitions: text === ENTRY ? await entries(ctx) : await leaving(ctx, text, from_state_id) }
  },
})

async function entries(ctx: ReadContext): Promise<TransitionRow[]> {
  const { rows } = await sql<{ transitions: TransitionRow[] }>`
    select ${transitionsWhere(sql`t.owner_id = w.owner_id and t.workflow_id = w.id and t.from_state_id is null`)} as transitions
    from workflows.workflows w where ${workflowVisible(ctx, 'w')}
    order by (w.owner_id = ${ctx.actor.userId}) desc, w.is_system desc, w.name_key, w.id
  `.execute(ctx.db)
  return rows.flatMap(({ transitions }) => transitions)
}

interface Found {
  readonly id: string
  readonly state: string
  readonly workflow: string
  readonly transitions: TransitionRow[]
}

async function leaving(ctx: ReadContext, key: string, given: string): Promise<TransitionRow[]> {
  const id = readId(key)
  const { rows } = await sql<Found>`
    select s.id, s.name as state, w.name as workflow, ${transitionsWhere(sql`t.owner_id = s.owner_id and t.from_state_id = s.id`)} as transitions
    from workflows.workflows w join workflows.states s on s.owner_id = w.owner_id and s.workflow_id = w.id
    where ${workflowVisible(ctx, 'w')} and s.archived_at is null and ${id === null ? sql`s.name_key = ${key}` : sql`s.id = ${id}`}
    order by (w.owner_id = ${ctx.actor.userId}) desc, w.is_system desc, w.name_key, w.id limit 20
  `.execute(ctx.db)
  const [found, other] = rows
  if (!found) {
    throw new ToolError('not_found', `There is no workflow state ${given}.`, {
      field: 'from_state_id',
      hint: 'workflow_states_list shows states with their ids; entry gives the transitions without a from state.',
    })
  }
  if (other) {
    throw new ToolError('ambiguous_ref', `${rows.length} of your workflows have a state ${found.state}.`, {
      field: 'from_state_id',
      hint: 'Give the id of one of them.',
      allowed: rows.map(row => row.id),
      details: { candidates: rows.map(row => ({ id: row.id, state: row.state, workflow: row.workflow })) },
    })
  }
  return found.transitions
}
