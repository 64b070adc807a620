import { keysOfSplit, sprintProgress, sprintSplits } from '../sprints/points.ts'
import { doneShare, moveOpenSteps } from './step.repository.ts'

/** The continuation of an unfinished item gets the open steps. */
const moveSteps = sprintSplits((ctx, splits) => moveOpenSteps(ctx, splits.map(keysOfSplit)))

export const onSprints = [sprintProgress(() => doneShare), moveSteps]
