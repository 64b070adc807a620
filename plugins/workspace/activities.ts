import type { ReadContext } from 'tasuki/plugin'
import { refFor } from '../items/index.ts'
import { findActivities } from './activity.repository.ts'
import type { ActivityChoice, ActivityRecord } from './activity.ts'
import { shownValue } from './history-refs.ts'

/** Reads the change history of an item, newest first, in one statement; `kinds` are all that it has, when one was asked for. */
export async function readActivities(
  ctx: ReadContext,
  text: string,
  which: ActivityChoice,
): Promise<{
  readonly ref: string
  readonly activities: readonly ActivityRecord[]
  readonly kinds: readonly string[]
}> {
  const found = await findActivities(ctx, text, which)
  const { ownerId, kinds } = found
  const activities = found.activities.map(entry => ({
    ...entry,
    ...(entry.from !== undefined && { from: shownValue(ctx, entry.kind, ownerId, entry.from) }),
    ...(entry.to !== undefined && { to: shownValue(ctx, entry.kind, ownerId, entry.to) }),
  }))
  return { ref: refFor(ctx, found), activities, kinds }
}
