import { Type, type Static } from 'tasuki/plugin'

/** A step as tools return it. */
export const step = Type.Object({
  id: Type.String(),
  content: Type.String(),
  done: Type.Boolean(),
  position: Type.Integer(),
})
export type Step = Static<typeof step>

/** Maximum number of steps per item. */
export const MOST_STEPS = 200
