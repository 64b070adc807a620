import { definePoint, type Expression, type ReadContext, type WriteContext } from 'tasuki/plugin'
import type { Draft, ItemRow } from '../items/index.ts'
import type { ProjectRow } from '../projects/index.ts'
import type { SprintClosing } from './closing.repository.ts'
import type { SprintItem, SprintRow } from './sprint.ts'

/**
 * What sprints are measured in: a scalar SQL expression (numeric) for the estimate of the item `i`, null when it has none.
 * The first contribution counts; without one, and in projects whose estimate unit is `none`, items are counted instead.
 */
export const sprintPoints = definePoint<(ctx: ReadContext) => Expression<unknown>>('sprints.points')

/** How much of the open item `i` is done: a scalar SQL expression from 0 to 1, null when unknown. The first that knows counts. */
export const sprintProgress = definePoint<(ctx: ReadContext) => Expression<unknown>>('sprints.progress')

/** An unfinished item that is completed with what is done of it, and the new item that takes over the rest. */
export interface SprintSplit {
  /** As it was before: still open. Its row is written already. */
  readonly original: ItemRow
  /** Written already; it has the original's parent and inherited placement. */
  readonly continuation: Draft
  /** From 0 to 1, by `sprintProgress`; 0 when unknown, so that everything moves. */
  readonly doneShare: number
}

/** Moves what belongs to the unfinished part of split items; a few statements whatever their number. Must not refuse. */
export const sprintSplits =
  definePoint<(ctx: WriteContext, splits: readonly SprintSplit[]) => Promise<void>>('sprints.splits')

/** Days (`YYYY-MM-DD`) by which a sprint is done in half, in 8 of 10 and in 19 of 20 runs; null = it cannot be told, or not within a year. */
export interface ForecastDays {
  readonly p50: string | null
  readonly date: string | null
  readonly p95: string | null
  /** Chance to be done by the planned end; null when it has none. */
  readonly confidence: number | null
  /** Why there are no days. */
  readonly reason: string | null
}
/** Tells when an open sprint will be done, for its page; the first contribution counts. */
export type SprintForecast = (
  ctx: ReadContext,
  project: ProjectRow,
  sprint: SprintRow,
  known: { readonly closings: readonly SprintClosing[]; readonly items: readonly SprintItem[] },
) => Promise<ForecastDays>
export const sprintForecasts = definePoint<SprintForecast>('sprints.forecasts')

/** All points, for the plugin's declaration. */
export const points = [sprintPoints, sprintProgress, sprintSplits, sprintForecasts]
