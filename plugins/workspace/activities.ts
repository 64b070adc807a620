import { choice, Type, type ReadContext, type Static } from 'tasuki/plugin'
import { refFor } from '../items/index.ts'
import { findActivities } from './activity.repository.ts'
import { shownValue } from './history-refs.ts'

export const ACTOR_KINDS = ['human', 'assistant', 'agent', 'system'] as const

/** One entry of a change history, as tools return it. */
export const Activity = Type.Object({
  kind: Type.String(),
  from: Type.Optional(Type.Unknown({ description: 'A long text is {length, excerpt}.' })),
  to: Type.Optional(Type.Unknown()),
  reason: Type.Optional(Type.String()),
  actor_kind: choice(ACTOR_KINDS),
  actor: Type.Optional(Type.String()),
  client: Type.Optional(Type.String()),
  credential: Type.Optional(Type.String()),
  tool: Type.String(),
  created_at: Type.String(),
})
export type ActivityRecord = Static<typeof Activity>

export interface ActivityChoice {
  /** `item.` and `item.*` are beginnings. */
  readonly kind?: string | undefined
  readonly actorKind?: (typeof ACTOR_KINDS)[number] | undefined
  readonly limit: number
  readonly offset?: number
}

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
