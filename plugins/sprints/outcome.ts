import { choice, Type, type Static } from 'tasuki/plugin'

/** The options for an unfinished item when its sprint is closed. */
export const DISPOSITIONS = ['next_sprint', 'backlog', 'split', 'drop'] as const
export type Disposition = (typeof DISPOSITIONS)[number]

/** One item of a closed sprint, as of the close. */
export const outcome = Type.Object({
  item_ref: Type.String(),
  item_id: Type.String(),
  title: Type.String(),
  outcome: choice(['done', ...DISPOSITIONS]),
  points: Type.Optional(Type.Number({ description: 'Estimate; of a split item, its done share.' })),
  completed_at: Type.Optional(Type.String()),
  counted: Type.Optional(Type.Boolean({ description: 'False: closed, but no part of the velocity.' })),
  continuation_ref: Type.Optional(Type.String()),
})
export type Outcome = Static<typeof outcome>
