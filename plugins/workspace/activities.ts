import { choice, contains, iso, sql, Type, type RawBuilder, type ReadContext, type Static } from 'tasuki/plugin'
import { readWithItem, refFor } from '../items/index.ts'
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
  { kind, actorKind, limit, offset = 0 }: ActivityChoice,
): Promise<{
  readonly ref: string
  readonly activities: readonly ActivityRecord[]
  readonly kinds: readonly string[]
}> {
  const ofItem = sql`from workspace.activities a where a.owner_id = i.owner_id and a.item_id = i.id`
  const found = await readWithItem<{ activities: readonly ActivityRecord[]; kinds: readonly string[] }>(
    ctx,
    text,
    sql`coalesce((select json_agg(x.activity order by x.id desc) from (
        select a.id, json_strip_nulls(json_build_object('kind', a.kind, 'from', a.from_value, 'to', a.to_value, 'reason', a.reason,
          'actor_kind', a.actor_kind, 'actor', (select coalesce(nullif(u.name, ''), u.email) from core.users u where u.id = a.actor_user_id),
          'client', a.client, 'credential', a.credential_label, 'tool', a.call, 'created_at', ${iso('a.created_at')})) as activity
        ${ofItem} and ${kind === undefined ? sql`true` : ofKind(kind)} and ${actorKind === undefined ? sql`true` : sql`a.actor_kind = ${actorKind}`}
        order by a.id desc limit ${limit} offset ${offset}) x), '[]') as activities,
      ${kind === undefined ? sql`'[]'::json` : sql`coalesce((select json_agg(distinct a.kind) ${ofItem}), '[]')`} as kinds`,
  )
  const { ownerId, kinds } = found
  const activities = found.activities.map(entry => ({
    ...entry,
    ...(entry.from !== undefined && { from: shownValue(ctx, entry.kind, ownerId, entry.from) }),
    ...(entry.to !== undefined && { to: shownValue(ctx, entry.kind, ownerId, entry.to) }),
  }))
  return { ref: refFor(ctx, found), activities, kinds }
}

/** `item.` and `item.*` are beginnings, everything else is the whole kind. */
function ofKind(text: string): RawBuilder<boolean> {
  const kind = text.trim().toLowerCase()
  if (!kind.endsWith('.') && !kind.endsWith('.*')) return sql<boolean>`a.kind = ${kind}`
  return sql<boolean>`a.kind like ${contains(kind.replace(/\*$/, '')).slice(1)}`
}
