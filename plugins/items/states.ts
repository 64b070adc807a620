import { sql, ToolError, type RawBuilder, type ReadContext, type WriteContext } from 'tasuki/plugin'
import type { ProjectRow } from '../projects/index.ts'
import {
  finalState,
  projectWorkflow,
  resolveState,
  statesOf,
  transitionsWhere,
  workflowVisible,
  type TransitionRow,
  type WorkflowStateRow,
} from '../workflows/index.ts'
import type { Draft, ItemRow } from './draft.ts'
import { collect } from './refusals.ts'

/** A workflow as writes of items need it. */
export interface ItemWorkflow {
  readonly id: string
  readonly name: string
  /** Only defined transitions may be taken. */
  readonly enforce: boolean
  readonly states: readonly WorkflowStateRow[]
  readonly transitions: readonly TransitionRow[]
}

/**
 * False for a workflow `w` that was edited while the statement waited for its lock: what else the statement read is of before.
 * Whoever puts items into states holds the workflow `for share`, so that no state goes away under them.
 */
export const settled = sql<boolean>`(
  w.xmin = (select same.xmin from workflows.workflows same where same.owner_id = w.owner_id and same.id = w.id))`

/** Loads the workflows of items, by id, in one statement; with `lock` nobody edits them until the transaction ends. */
function workflowsOf(
  ctx: ReadContext,
  items: readonly Pick<ItemRow, 'ownerId' | 'workflowId'>[],
  lock: boolean,
): Promise<ReadonlyMap<string, ItemWorkflow>> {
  const keys = new Map(items.map(item => [item.workflowId, sql`(${item.ownerId}::uuid, ${item.workflowId}::uuid)`]))
  return readWorkflows(ctx, sql`(w.owner_id, w.id) in (${sql.join([...keys.values()])})`, lock)
}

/** Loads the workflow of a project, in one statement; with `lock` nobody edits it until the transaction ends. */
export async function workflowOf(
  ctx: ReadContext,
  project: Pick<ProjectRow, 'ownerId' | 'id'>,
  { lock }: { readonly lock: boolean },
): Promise<ItemWorkflow> {
  const used = sql<boolean>`w.owner_id = ${project.ownerId} and w.id = (
    select ${projectWorkflow('p')} from projects.projects p where p.owner_id = ${project.ownerId} and p.id = ${project.id})`
  const [workflow] = (await readWorkflows(ctx, used, lock)).values()
  return workflow!
}

async function readWorkflows(
  ctx: ReadContext,
  which: RawBuilder<boolean>,
  lock: boolean,
): Promise<ReadonlyMap<string, ItemWorkflow>> {
  const read = sql<ItemWorkflow & { readonly settled: boolean }>`
    select w.id, w.name, w.enforce_transitions as enforce, ${statesOf(sql`w.owner_id`, sql`w.id`)} as states,
      ${transitionsWhere(sql`t.owner_id = w.owner_id and t.workflow_id = w.id`)} as transitions, ${settled} as settled
    from workflows.workflows w where ${which}
    order by w.owner_id, w.id ${lock ? sql`for share of w` : sql``}`
  const first = await read.execute(ctx.db)
  const { rows } = first.rows.every(row => row.settled) ? first : await read.execute(ctx.db)
  return new Map(rows.map(row => [row.id, row]))
}

/** Puts the drafts into the state of that id or name, each within its own workflow; what refuses one goes to its problems. */
export async function moveItems(
  ctx: ReadContext,
  drafts: readonly Draft[],
  text: string,
  { lock }: { readonly lock: boolean },
): Promise<void> {
  if (drafts.length === 0) return
  const workflows = await workflowsOf(ctx, drafts, lock)
  const known = [...workflows.values()].some(({ states }) => resolveState(states, text))
  const elsewhere = known ? null : await stateElsewhere(ctx, text)
  for (const draft of drafts) {
    await collect(draft, () => {
      const workflow = workflows.get(draft.workflowId)!
      const state = resolveState(workflow.states, text)
      if (!state) throw lacking(draft, workflow, elsewhere ?? foreignName(workflows, text) ?? `"${text}"`)
      checkTransition(draft, workflow, state)
      moveTo(draft, state, ctx.now)
    })
  }
}

/** Puts the drafts into the states that completing means; one whose workflow has no closed state gets a problem. */
export async function completeItems(
  ctx: WriteContext,
  drafts: readonly Draft[],
  attribute: 'done' | 'wontfix' = 'done',
): Promise<void> {
  if (drafts.length === 0) return
  const workflows = await workflowsOf(ctx, drafts, true)
  for (const draft of drafts) {
    const workflow = workflows.get(draft.workflowId)!
    const state = finalState(workflow.states, attribute)
    if (state) moveTo(draft, state, ctx.now)
    else draft.problems.push(endless(draft, workflow))
  }
}

function endless({ ref }: Draft, { name }: ItemWorkflow): ToolError {
  return new ToolError('workflow_mismatch', `The workflow ${name} of ${ref} has no closed state.`, {
    hint: 'The owner of the workflow adds one; workflow_states_create does it.',
  })
}

function lacking(draft: Draft, workflow: ItemWorkflow, wanted: string): ToolError {
  return new ToolError('workflow_mismatch', `The workflow ${workflow.name} of ${draft.ref} has no state ${wanted}.`, {
    field: 'status_definition_id',
    allowed: workflow.states.map(({ name }) => name),
    hint: 'Give one of the allowed names; workflow_states_list shows their ids.',
  })
}

/** The name of a state that only workflows of other items of the call have. */
function foreignName(workflows: ReadonlyMap<string, ItemWorkflow>, text: string): string | null {
  for (const { states, name } of workflows.values()) {
    const state = resolveState(states, text)
    if (state) return `${state.name} of the workflow ${name}`
  }
  return null
}

/** The name of a state that none of the items' workflows has, where its id was given. */
async function stateElsewhere(ctx: ReadContext, text: string): Promise<string | null> {
  const { rows } = await sql<{ name: string; workflow: string }>`
    select s.name, w.name as workflow from workflows.states s
    join workflows.workflows w on w.owner_id = s.owner_id and w.id = s.workflow_id
    where s.id::text = ${text.trim().toLowerCase()} and ${workflowVisible(ctx, 'w')} limit 1
  `.execute(ctx.db)
  return rows[0] ? `${rows[0].name} of the workflow ${rows[0].workflow}` : null
}

/** Refuses a move that the workflow does not define, where it enforces its transitions. @throws ToolError transition_not_allowed */
function checkTransition(draft: Draft, workflow: ItemWorkflow, to: WorkflowStateRow): void {
  const from = draft.before!.state
  if (!workflow.enforce || from.id === to.id) return
  const leaving = workflow.transitions.filter(transition => transition.from_state_id === from.id)
  if (leaving.some(transition => transition.to_state_id === to.id)) return
  throw new ToolError(
    'transition_not_allowed',
    `The workflow ${workflow.name} has no transition from ${from.name} to ${to.name}, and ${draft.ref} is in ${from.name}.`,
    {
      field: 'status_definition_id',
      allowed: leaving.map(transition => transition.to_state),
      hint:
        leaving.length > 0
          ? 'Move it to one of the allowed states first.'
          : 'items_complete completes it whatever the transitions.',
    },
  )
}

/** An item is completed exactly while its state is closed; one that goes from closed to closed keeps its first time. */
function moveTo(draft: Draft, to: WorkflowStateRow, now: Date): void {
  const before = draft.before!
  if (before.stateId === to.id) return
  draft.after.stateId = to.id
  draft.after.completedAt = to.system_status === 'open' ? null : (before.completedAt ?? now.toISOString())
  draft.change('status', before.state.name, to.name)
}
