import { choice, isUuid, nameKey, nullable, quoteName, ToolError, Type, type Static } from 'tasuki/plugin'

export const SYSTEM_STATUSES = ['open', 'closed'] as const
export const CATEGORIES = ['todo', 'in_progress', 'review', 'done'] as const
export const STATUS_ATTRIBUTES = ['pending', 'done', 'duplicate', 'wontfix'] as const
export type SystemStatus = (typeof SYSTEM_STATUSES)[number]
export type Category = (typeof CATEGORIES)[number]
export type StatusAttribute = (typeof STATUS_ATTRIBUTES)[number]

/** The values that fit a status; the first of each list is the default. */
const FITTING = {
  open: { category: ['todo', 'in_progress', 'review'], status_attribute: ['pending'] },
  closed: { category: ['done'], status_attribute: ['done', 'duplicate', 'wontfix'] },
} as const

/** A workflow state as tools return it; null fields are left out, except those that a call cleared. */
export const workflowState = Type.Object({
  id: Type.String(),
  workflow_id: Type.String(),
  workflow: Type.Optional(Type.String({ description: 'Its name.' })),
  name: Type.String(),
  description: Type.Optional(nullable(Type.String())),
  system_status: choice(SYSTEM_STATUSES),
  category: choice(CATEGORIES),
  status_attribute: choice(STATUS_ATTRIBUTES),
  color_hex: Type.Optional(nullable(Type.String())),
  is_default: Type.Boolean({ description: 'Where new items start.' }),
  display_order: Type.Integer(),
})
export type WorkflowStateRow = Static<typeof workflowState>

/** A workflow in the list of states. */
export const listedWorkflow = Type.Object({
  id: Type.String(),
  name: Type.String(),
  is_system: Type.Boolean(),
  editable: Type.Boolean(),
  enforce_transitions: Type.Boolean(),
  project_keys: Type.Array(Type.String()),
  updated_at: Type.String(),
})

/** Fields that users set. */
export const STATE_FIELDS = [
  'name',
  'description',
  'system_status',
  'category',
  'status_attribute',
  'color_hex',
  'is_default',
] as const

/** A state in the results of writes: the same object with a short schema. */
export const briefState = Type.Unsafe<WorkflowStateRow>(Type.Object({ id: Type.String(), name: Type.String() }))

/** The result of a write of a state. */
export const stateResult = Type.Object({
  state: briefState,
  changed: Type.Array(Type.String()),
  warnings: Type.Optional(Type.Array(Type.String())),
})

/** Normalizes an id to its stored form; null for other texts. */
export function readId(text: string): string | null {
  const id = text.trim().toLowerCase()
  return isUuid(id) ? id : null
}

/** Finds the state with an id or with an exact name, regardless of case and width. */
export function resolveState(states: readonly WorkflowStateRow[], text: string): WorkflowStateRow | null {
  const key = nameKey(text)
  return states.find(state => state.id === key) ?? states.find(state => nameKey(state.name) === key) ?? null
}

const byOrder = (a: WorkflowStateRow, b: WorkflowStateRow): number => a.display_order - b.display_order

/** Returns the state of new items: the default state, else the first open one. */
export function initialState(states: readonly WorkflowStateRow[]): WorkflowStateRow | null {
  const open = states.filter(state => state.system_status === 'open').toSorted(byOrder)
  return open.find(state => state.is_default) ?? open[0] ?? null
}

/** Returns the state of completed items: the first closed state with the attribute, else the first closed one. */
export function finalState(
  states: readonly WorkflowStateRow[],
  attribute: StatusAttribute = 'done',
): WorkflowStateRow | null {
  const closed = states.filter(state => state.system_status === 'closed').toSorted(byOrder)
  return closed.find(state => state.status_attribute === attribute) ?? closed[0] ?? null
}

/** The properties by which states of different workflows are compared. */
export interface StateMeaning {
  readonly name: string
  readonly system_status: SystemStatus
  readonly category: string
  readonly status_attribute: string
}

/**
 * Finds the equivalent state of another workflow: by name, else by category, else its initial or final state.
 * @returns null if the workflow has no state with the same system status
 */
export function findCounterpart(state: StateMeaning, states: readonly WorkflowStateRow[]): WorkflowStateRow | null {
  const named = resolveState(states, state.name)
  if (named) return named
  const like = states.filter(
    other => other.category === state.category && other.status_attribute === state.status_attribute,
  )
  return state.system_status === 'open'
    ? (initialState(like) ?? initialState(states))
    : (finalState(like) ?? finalState(states))
}

export interface Classification {
  readonly category: Category
  readonly status_attribute: StatusAttribute
}
/** A classification from a caller; undefined values are derived from the status. */
export interface GivenClassification {
  readonly category?: Category | undefined
  readonly status_attribute?: string | undefined
}

/** Fills in category and attribute of a status, and adds problems for values that do not fit it. */
export function completeClassification(
  status: SystemStatus,
  input: GivenClassification,
  problems: ToolError[],
): Classification {
  const pick = <F extends keyof Classification>(field: F): Classification[F] => {
    const fitting: readonly string[] = FITTING[status][field]
    const value = input[field] ?? fitting[0]!
    if (!fitting.includes(value)) {
      const message = `${field} ${quoteName(value)} does not fit system_status ${status}.`
      problems.push(new ToolError('invalid_argument', message, { field, allowed: fitting }))
    }
    return value as Classification[F]
  }
  return { category: pick('category'), status_attribute: pick('status_attribute') }
}
