import { choice, Type } from 'tasuki/plugin'

/** A notification as tools return it. */
export const Notification = Type.Object({
  kind: Type.String(),
  title: Type.String(),
  body: Type.Optional(Type.String()),
  item_ref: Type.Optional(Type.String()),
  item_title: Type.Optional(Type.String()),
  data: Type.Optional(Type.Object({})),
  created_at: Type.String(),
  read: Type.Boolean(),
})
export const notificationStatus = choice(['unread', 'all'], { default: 'unread', description: 'Which ones.' })
