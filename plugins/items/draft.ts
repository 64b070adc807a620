import type { OwnedKey, ToolError } from 'tasuki/plugin'
import type { ProjectRow } from '../projects/index.ts'

export type ItemType = 'task' | 'note' | 'event' | 'task_template'
/** Ordered by importance; the stored value is the 1-based index. */
export const PRIORITIES = ['urgent', 'high', 'normal', 'low'] as const
export type Priority = (typeof PRIORITIES)[number]

/** The workflow state of an item. */
export interface ItemState {
  readonly id: string
  readonly name: string
  readonly systemStatus: 'open' | 'closed'
  readonly category: string
  readonly statusAttribute: string
  readonly colorHex: string | null
}

/** The columns of an item that tools read and write. Dates are `YYYY-MM-DD`, times `HH:MM`, instants ISO 8601 UTC. */
export interface ItemValues {
  type: ItemType
  title: string
  detail: string
  dueDate: string | null
  dueTime: string | null
  startDate: string | null
  priority: Priority | null
  kind: string
  parentId: string | null
  stateId: string
  archivedAt: string | null
  completedAt: string | null
}

/** Columns and their SQL types, by the property names of `ItemValues`. */
export const ITEM_COLUMNS = {
  type: ['type', 'text'],
  title: ['title', 'text'],
  detail: ['detail', 'text'],
  dueDate: ['due_date', 'date'],
  dueTime: ['due_time', 'text'],
  startDate: ['start_date', 'date'],
  priority: ['priority', 'smallint'],
  kind: ['kind', 'text'],
  parentId: ['parent_id', 'uuid'],
  stateId: ['state_id', 'uuid'],
  archivedAt: ['archived_at', 'timestamptz'],
  completedAt: ['completed_at', 'timestamptz'],
} as const satisfies Record<keyof ItemValues, readonly [string, string]>

/** An item as it was before the write. */
export interface ItemRow extends ItemValues, OwnedKey {
  readonly number: number
  readonly project: ProjectRow
  readonly state: ItemState
  readonly workflowId: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly lastActivityAt: string
}

/** Returns the reference of an item for texts. */
export function formatRef({ project, number }: Pick<ItemRow, 'project' | 'number'>): string {
  return `${project.key}#${number}`
}

/** One item during a write: its values before and after, and the changes between them. */
export interface Draft extends OwnedKey {
  /** A new item has no number until it is written. */
  readonly number: number
  /** `KEY#n`. A new item has no reference until it is written. */
  readonly ref: string
  readonly project: ProjectRow
  readonly workflowId: string
  /** Null for a new item. */
  readonly before: Readonly<ItemRow> | null
  readonly after: ItemValues
  /** The parent passed to items_create; the new item inherits its placement. */
  readonly parent: Readonly<ItemRow> | null
  /** The caller's reason for the change. */
  readonly reason: string | null
  /** When an imported item was created at its source (ISO 8601); null = now. */
  readonly madeAt: string | null
  /** Errors of this item alone; an item with problems is not written. */
  readonly problems: ToolError[]
  /** Warnings for the result. */
  readonly warnings: string[]
  readonly changes: FieldChange[]
  /** Records a change. Previews and the history show the values, so keep them short and readable. */
  change(field: string, from: unknown, to: unknown): void
  /** Assigns the number of a new item. */
  assignNumber(number: number): void
}

export interface FieldChange {
  readonly field: string
  readonly from: unknown
  readonly to: unknown
}

/** One entry of an item's history, from the items plugin or from another plugin (`relation.created`). */
export interface ItemChange {
  readonly ownerId: string
  readonly itemId: string
  readonly projectId: string
  readonly ref: string
  readonly title: string
  /** For example `item.created`, `item.completed`, `item.due_date.changed`. */
  readonly kind: string
  readonly from?: unknown
  readonly to?: unknown
  readonly reason?: string | null
  /** The current values, set when the item itself was written, so that nobody has to read it again. */
  readonly after?: Readonly<ItemValues>
  /** Warnings for the answer of the write, set when the item itself was written. */
  readonly warnings?: string[]
}
