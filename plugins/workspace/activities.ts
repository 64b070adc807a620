import type { ReadContext } from 'tasuki/plugin'
import { refFor } from '../items/index.ts'
import { findActivities } from './activity.repository.ts'
import type { ActivityChoice, ActivityRecord } from './activity.ts'

/** Reads the change history of an item, newest first, in one statement; with a `kind` filter, `kinds` lists all kinds in the history. */
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
  return { ref: refFor(ctx, found), activities: found.activities, kinds: found.kinds }
}
