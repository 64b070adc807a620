import { definePoint, type RawBuilder, type ReadContext, type WriteContext } from 'tasuki/plugin'
import type { Draft, ItemRow } from '../items/index.ts'

/**
 * What sprints are measured in: a scalar SQL expression (numeric) for the estimate of the item `i`, null when it has none.
 * The first contribution counts; without one, and in projects whose estimate unit is `none`, items are counted instead.
 */
export const sprintPoints = definePoint<(ctx: ReadContext) => RawBuilder<unknown>>('sprints.points')

/** How much of the open item `i` is done: a scalar SQL expression from 0 to 1, null when unknown. The first that knows counts. */
export const sprintProgress = definePoint<(ctx: ReadContext) => RawBuilder<unknown>>('sprints.progress')

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

/** All points, for the plugin's declaration. */
export const points = [sprintPoints, sprintProgress, sprintSplits]
