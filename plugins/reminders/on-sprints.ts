import { keysOfSplit, sprintSplits } from '../sprints/points.ts'
import { movePending } from './reminder.repository.ts'

/** The continuation of an unfinished item gets the reminders to come; those of a finished item are dismissed. */
export const moveReminders = sprintSplits((ctx, splits) => movePending(ctx, splits.map(keysOfSplit)))
