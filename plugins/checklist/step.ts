import { Type, type Static } from 'tasuki/plugin'

/** A step as results show it. */
export const step = Type.Object({
  id: Type.String(),
  content: Type.String(),
  done: Type.Boolean(),
  position: Type.Integer(),
})
export type Step = Static<typeof step>

/** Steps that one item may have. */
export const MOST_STEPS = 200
