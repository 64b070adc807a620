import { keysOfSplit, sprintSplits } from '../sprints/points.ts'
import { keysOfGenerated, templateGenerated } from '../templates/points.ts'
import { copyValues } from './value.repository.ts'

/** The continuation of an unfinished item, and a task of a template, get the values of theirs. */
export const onCopies = [
  sprintSplits((ctx, splits) => copyValues(ctx, splits.map(keysOfSplit))),
  templateGenerated((ctx, generated) => copyValues(ctx, generated.map(keysOfGenerated))),
]
