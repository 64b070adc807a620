import { defineTool, endOfPage, pageEnd, pageOffset, Type } from 'tasuki/plugin'
import { readNotifications } from '../notification.repository.ts'
import { Notification, notificationStatus } from '../notifications.ts'

export const notificationsList = defineTool({
  name: 'notifications_list',
  class: 'R',
  title: 'List notifications',
  summary: 'Lists your notifications, newest first, without marking them read.',
  rank: 600,
  input: {
    status: Type.Optional(notificationStatus),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 30, default: 10, description: 'Page size.' })),
    offset: pageOffset,
  },
  output: { notifications: Type.Array(Notification), ...pageEnd },
  rows: 'notifications',
  async run(ctx, { status = 'unread', limit = 10, offset = 0 }) {
    const rows = await readNotifications(ctx, { status, limit: limit + 1, offset })
    const notifications = rows.slice(0, limit).map(row => row.notification)
    return { notifications, ...endOfPage(rows.length, { limit, offset }) }
  },
})
