import { sprintSplits } from '../sprints/points.ts'
import { copyLabels } from './item-label.repository.ts'

/** The continuation of an unfinished item gets its labels. */
export const carryLabels = sprintSplits((ctx, splits) =>
  copyLabels(
    ctx,
    splits.map(({ original, continuation }) => ({
      owner_id: original.ownerId,
      from_id: original.id,
      to_id: continuation.id,
    })),
  ),
)
