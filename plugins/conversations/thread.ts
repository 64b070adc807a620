import { Type } from 'tasuki/plugin'

/** A thread as tools return it. */
export const threadSchema = Type.Object({
  id: Type.String(),
  title: Type.Optional(Type.String()),
  client: Type.Optional(Type.String()),
  started_at: Type.String(),
  last_at: Type.String(),
  open: Type.Boolean(),
  messages: Type.Integer(),
})
