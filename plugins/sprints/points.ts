import { defineHook, definePoint, type Expression, type ReadContext, type WriteContext } from 'tasuki/plugin'
import type { Draft, ItemCopy, ItemRow } from '../items/index.ts'
import type { ProjectRow } from '../projects/index.ts'
import type { SprintClosing } from './closing.repository.ts'
import type { SprintItem, SprintRow } from './sprint.ts'

/**
 * The unit of sprints: a scalar SQL expression (numeric) for the estimate of the item `i`, null if it has none. The first contribution is
 * used. Without one, and in projects with the estimate unit `none`, items are counted instead.
 */
export const sprintPoints = defineHook<(ctx: ReadContext) => Expression<unknown>>('sprints.points')

/** The done share of the open item `i`: a scalar SQL expression from 0 to 1, null if unknown. The first known value is used. */
export const sprintProgress = defineHook<(ctx: ReadContext) => Expression<unknown>>('sprints.progress')

/** An unfinished item that is completed with its done part, and the new item for the rest. */
export interface SprintSplit {
  /** The item before the split, still open; its row is already written. */
  readonly original: ItemRow
  /** The new item, already written, with the original's parent and inherited placement. */
  readonly continuation: Draft
  /** From 0 to 1, by `sprintProgress`; 0 if unknown, so that everything moves. */
  readonly doneShare: number
}

/** Moves the records of the unfinished part of split items, in a constant number of statements. Must not reject them. */
export const sprintSplits =
  defineHook<(ctx: WriteContext, splits: readonly SprintSplit[]) => Promise<void>>('sprints.splits')

/** Returns the items between which statements copy or move records. */
export const keysOfSplit = ({ original: { ownerId, id }, continuation }: SprintSplit): ItemCopy => ({
  owner_id: ownerId,
  from_id: id,
  to_id: continuation.id,
})

/** Copies or moves records of split items to their continuations: `onSplit(copyLabels)`. */
export const onSplit = (copy: (ctx: WriteContext, copies: readonly ItemCopy[]) => Promise<void>) =>
  sprintSplits((ctx, splits) => copy(ctx, splits.map(keysOfSplit)))

/** Days (`YYYY-MM-DD`) by which a sprint is done in 50 %, 80 % and 95 % of the runs; null = unknown, or not within a year. */
export interface ForecastDays {
  readonly p50: string | null
  readonly date: string | null
  readonly p95: string | null
  /** Probability of being done by the last day of the sprint; null if it has none, or is unknown. */
  readonly confidence: number | null
  /** Why there are no days. */
  readonly reason: string | null
}
/** Forecasts the end of an open sprint, for its page; the first contribution is used. */
export type SprintForecast = (
  ctx: ReadContext,
  project: ProjectRow,
  sprint: SprintRow,
  known: { readonly closings: readonly SprintClosing[]; readonly items: readonly SprintItem[] },
) => Promise<ForecastDays>
export const sprintForecasts = definePoint<SprintForecast>('sprints.forecasts')

/** All extension points, for the plugin's declaration. */
export const points = [sprintPoints, sprintProgress, sprintSplits, sprintForecasts]
