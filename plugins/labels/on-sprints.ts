import { keysOfSplit, sprintSplits } from '../sprints/points.ts'
import { copyLabels } from './item-label.repository.ts'

/** The continuation of an unfinished item gets its labels. */
export const carryLabels = sprintSplits((ctx, splits) => copyLabels(ctx, splits.map(keysOfSplit)))
