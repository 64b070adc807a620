import { uuid, type User, type WriteContext } from 'tasuki/plugin'
import { insertStates, type NewState } from './state.repository.ts'
import type { WorkflowStateRow } from './state.ts'
import { insertTransitions, type NewTransition } from './transition.repository.ts'
import type { TransitionKind } from './transition.ts'
import { insertSystemWorkflows, readUsersWithoutSystem } from './system-workflow.repository.ts'

/** Name of every owner's initial workflow. */
const SYSTEM_WORKFLOW = 'Standard'

type Template = Pick<WorkflowStateRow, 'name' | 'system_status' | 'category' | 'status_attribute' | 'is_default'> & {
  readonly color_hex: string
}
const open = (name: string, category: 'todo' | 'in_progress' | 'review', color_hex: string): Template => ({
  name,
  system_status: 'open',
  category,
  status_attribute: 'pending',
  color_hex,
  is_default: name === 'Backlog',
})
const closed = (name: string, status_attribute: 'done' | 'duplicate' | 'wontfix', color_hex: string): Template => ({
  name,
  system_status: 'closed',
  category: 'done',
  status_attribute,
  color_hex,
  is_default: false,
})

/** In display order; new items start in Backlog. */
const SYSTEM_STATES: readonly Template[] = [
  open('Backlog', 'todo', '#64748B'),
  open('In progress', 'in_progress', '#2563EB'),
  open('In review', 'review', '#9333EA'),
  closed('Done', 'done', '#16A34A'),
  closed('Duplicate', 'duplicate', '#A1A1AA'),
  closed("Won't fix", 'wontfix', '#A1A1AA'),
]

type Route = readonly [from: string | null, to: string, kind: TransitionKind, isDefaultNext?: true]
/** One forward path, steps back and shortcuts, a cancellation from every open state, and a reopening from every closed one. */
const SYSTEM_TRANSITIONS: readonly Route[] = [
  [null, 'Backlog', 'next', true],
  ['Backlog', 'In progress', 'next', true],
  ['In progress', 'In review', 'next', true],
  ['In review', 'Done', 'next', true],
  ['In progress', 'Done', 'manual'],
  ['In progress', 'Backlog', 'manual'],
  ['In review', 'In progress', 'manual'],
  ...['Backlog', 'In progress', 'In review'].flatMap((from): Route[] => [
    [from, 'Duplicate', 'cancel'],
    [from, "Won't fix", 'cancel'],
  ]),
  ...['Done', 'Duplicate', "Won't fix"].map((from): Route => [from, 'Backlog', 'reopen']),
]

/** Adds the system workflow of users, in three statements; idempotent. */
export async function addSystemWorkflows(ctx: WriteContext, users: readonly Pick<User, 'id'>[]): Promise<void> {
  if (users.length === 0) return
  const ownerIds = users.map(({ id }) => id)
  const added = await insertSystemWorkflows(ctx, ownerIds, SYSTEM_WORKFLOW)
  const states: NewState[] = []
  const transitions: NewTransition[] = []
  for (const { owner_id, id: workflow_id } of added) {
    const ids = new Map(SYSTEM_STATES.map(({ name }) => [name, uuid()]))
    SYSTEM_STATES.forEach((state, index) =>
      states.push({ ...state, owner_id, workflow_id, id: ids.get(state.name)!, display_order: index + 1 }),
    )
    for (const [from, to, kind, isDefaultNext = false] of SYSTEM_TRANSITIONS) {
      const from_state_id = from === null ? null : ids.get(from)!
      transitions.push({
        owner_id,
        id: uuid(),
        workflow_id,
        from_state_id,
        to_state_id: ids.get(to)!,
        kind,
        is_default_next: isDefaultNext,
      })
    }
  }
  await insertStates(ctx, states)
  await insertTransitions(ctx, transitions)
}

/** Adds the system workflow of all users without one. */
export async function addMissingSystemWorkflows(ctx: WriteContext): Promise<void> {
  await addSystemWorkflows(ctx, await readUsersWithoutSystem(ctx))
}
