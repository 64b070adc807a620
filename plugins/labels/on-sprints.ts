import { sprintSplits } from '../sprints/points.ts'
import { copyLabels } from './copy.ts'

/** What goes on with an unfinished item carries its labels. */
export const carryLabels = sprintSplits((ctx, splits) =>
  copyLabels(
    ctx,
    splits.map(({ original, continuation }) => ({
      ownerId: original.ownerId,
      from: original.id,
      to: continuation.id,
    })),
  ),
)
