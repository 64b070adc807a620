import type { OwnedKey, ToolError } from 'tasuki/plugin'
import type { ProjectRow } from '../projects/index.ts'

export type ItemType = 'task' | 'note' | 'event' | 'task_template'
export type Priority = 'urgent' | 'high' | 'normal' | 'low'

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

/** An item as it was when a write began. */
export interface ItemRow extends ItemValues, OwnedKey {
  readonly number: number
  readonly project: ProjectRow
  readonly state: ItemState
  readonly workflowId: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly lastActivityAt: string
}

/** One item on its way through a write: how it was, how it shall be, and what that changes. */
export interface Draft extends OwnedKey {
  /** A new item has none until it is written. */
  readonly number: number
  /** `KEY#n`. A new item has none until it is written. */
  readonly ref: string
  readonly project: ProjectRow
  readonly workflowId: string
  /** Null = it is being created. */
  readonly before: Readonly<ItemRow> | null
  readonly after: ItemValues
  /** The parent given to items_create, from which placement is inherited. */
  readonly parent: Readonly<ItemRow> | null
  /** Why the caller does it. */
  readonly reason: string | null
  /** When an item that comes from elsewhere was made there (ISO 8601); null = now. */
  readonly madeAt: string | null
  /** Refusals that concern this item alone; an item with problems is not written. */
  readonly problems: ToolError[]
  /** Warnings for the result. */
  readonly warnings: string[]
  readonly changes: FieldChange[]
  /** Notes a change; values are shown in previews and kept in the history, so keep them short and readable. */
  change(field: string, from: unknown, to: unknown): void
  /** Gives a new item its number. */
  assignNumber(number: number): void
}

export interface FieldChange {
  readonly field: string
  readonly from: unknown
  readonly to: unknown
}

/** One entry for the history of an item, made by the item's own plugin or by those around it (`relation.created`). */
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
  /** The item as it is now, where the item itself was written: it need not be read again. */
  readonly after?: Readonly<ItemValues>
}
