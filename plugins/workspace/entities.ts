import { belongsTo, defineTable, ownedKey, p, type TablesOf } from 'tasuki/entities'
import { Item } from '../items/entities.ts'

/** One entry of the change history of an item, a project or an account. */
export const Activity = defineTable('workspace.activities', {
  properties: {
    ...ownedKey,
    item: () => belongsTo(Item, 'item_id').nullable(),
    projectId: p.uuid().nullable(),
    /** For example `item.completed` or `item.due_date.changed`. */
    kind: p.text(),
    fromValue: p.json<unknown>().nullable(),
    toValue: p.json<unknown>().nullable(),
    reason: p.text().nullable(),
    actorKind: p.enum(['human', 'assistant', 'agent', 'system'] as const),
    actorUserId: p.uuid(),
    client: p.text().nullable(),
    credentialLabel: p.text().nullable(),
    /** The tool, job or command that made the change. */
    call: p.text(),
    createdAt: p.datetime(),
  },
  indexes: [
    { name: 'activities_item', properties: ['ownerId', 'item', 'id'] },
    { name: 'activities_project', properties: ['ownerId', 'projectId', 'id'] },
  ],
})

export const Notification = defineTable('workspace.notifications', {
  properties: {
    /** The recipient. */
    ...ownedKey,
    kind: p.text(),
    title: p.text(),
    body: p.text().nullable(),
    /** The item may belong to another owner, so there is no foreign key. */
    itemOwnerId: p.uuid().nullable(),
    itemId: p.uuid().nullable(),
    data: p.json<object>().nullable(),
    createdAt: p.datetime(),
    readAt: p.datetime().nullable(),
  },
  indexes: [{ name: 'notifications_unread', properties: ['ownerId', 'id'], where: { readAt: null } }],
})

/** A setting chosen by a user; settings without a row have their default. */
const SettingSchema = defineTable('workspace.settings', {
  properties: {
    ownerId: p.uuid().primary(),
    key: p.text().primary(),
    value: p.json<unknown>(),
    updatedAt: p.datetime(),
  },
})

export const entities = [Activity, Notification, SettingSchema]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'workspace', typeof entities> {}
}
