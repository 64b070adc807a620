import { choice, guarded, nullable, quoteName, requireUnchanged, Type } from 'tasuki/plugin'
import type { ReadContext, Static } from 'tasuki/plugin'
import type { PlaceRow } from '../items/index.ts'

export const STATUSES = ['planning', 'active', 'closed'] as const

export type SprintStatus = (typeof STATUSES)[number]

/** A sprint as a place. Dates are `YYYY-MM-DD`, times ISO 8601 UTC. */
export interface SprintRow extends PlaceRow {
  readonly goal: string | null
  readonly startDate: string | null
  readonly endDate: string | null
  readonly capacity: number | null
  readonly status: SprintStatus
  readonly displayOrder: number
  readonly startedAt: string | null
  readonly updatedAt: string
  /** The owner's, in which the days of the sprint begin for every member. */
  readonly timeZone: string
}

/** An item of a sprint with its size. */
export interface SprintItem {
  readonly id: string
  readonly number: number
  readonly title: string
  readonly completedAt: string | null
  /** The estimate in the project's unit. */
  readonly points: number | null
  /** From 0 to 1; null if unknown. */
  readonly progress: number | null
  /** Done during the sprint: not closed as duplicate or wontfix, nor before the sprint began. */
  readonly counted: boolean
}

/** A sprint as tools return it. */
export const sprintSchema = Type.Object({
  id: Type.String(),
  project_key: Type.String(),
  name: Type.String(),
  path: Type.String(),
  status: choice(STATUSES),
  goal: Type.Optional(nullable(Type.String())),
  start_date: Type.Optional(nullable(Type.String())),
  end_date: Type.Optional(nullable(Type.String())),
  capacity: Type.Optional(nullable(Type.Number())),
  item_count: Type.Integer({ description: 'Items directly in it; of a closed sprint, at its end.' }),
  done_count: Type.Integer(),
  remaining_estimate: Type.Optional(Type.Number()),
  velocity: Type.Optional(Type.Number({ description: 'Fixed at the close.' })),
  velocity_unit: Type.Optional(Type.String()),
  started_at: Type.Optional(Type.String()),
  closed_at: Type.Optional(Type.String()),
  created_at: Type.String(),
  updated_at: Type.String(),
})
export type SprintRecord = Static<typeof sprintSchema>

/** The result of a write of a sprint. */
export const sprintResult = Type.Object({
  sprint: sprintSchema,
  changed: Type.Array(Type.String()),
  warnings: Type.Optional(Type.Array(Type.String())),
})

/** Returns a parameter that names a sprint. */
export const sprintRef = (description = 'Name or path.') => Type.String({ description })
export const goal = (description: string) => guarded(Type.String({ description }), { maxLength: 2000 })
export const capacity = (description: string) => guarded(Type.Number({ description }), { minimum: 0 })

/** Rejects the change if the sprint changed after `_meta.ifUpdatedAt`. @throws ToolError stale_write */
export function requireUnchangedSprint(
  ctx: ReadContext,
  { path, updatedAt, goal, startDate, endDate, capacity, status }: SprintRow,
): void {
  const current = { path, status, goal, capacity, start_date: startDate, end_date: endDate, updated_at: updatedAt }
  requireUnchanged(ctx, `The sprint ${quoteName(path)}`, current)
}
