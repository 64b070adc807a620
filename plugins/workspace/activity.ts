import { choice, Type, type Static } from 'tasuki/plugin'

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
  /** `item.` and `item.*` are prefixes. */
  readonly kind?: string | undefined
  readonly actorKind?: (typeof ACTOR_KINDS)[number] | undefined
  readonly limit: number
  readonly offset?: number
  /** Reads also the names that plugins know of what changed. */
  readonly named?: boolean
}

/** Names of what changed, by the second and the third part of a kind. */
export type NamesOfChanges = Readonly<Record<string, Readonly<Record<string, string>> | null>>
