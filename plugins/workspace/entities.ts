import { defineEntity, p } from 'tasuki/entities'
import { Item } from '../items/entities.ts'

/** One entry of the change history: of an item, or of a project or account where it is of no item. */
const ActivitySchema = defineEntity({
  name: 'Activity',
  schema: 'workspace',
  tableName: 'activities',
  properties: {
    ownerId: p.uuid().primary(),
    id: p.uuid().primary(),
    item: () =>
      p
        .manyToOne(Item)
        .joinColumns('owner_id', 'item_id')
        .ownColumns('item_id')
        .deleteRule('cascade')
        .updateRule('no action')
        .nullable(),
    projectId: p.uuid().nullable(),
    /** For example `item.completed` or `item.due_date.changed`. */
    kind: p.string().columnType('text'),
    fromValue: p.json<unknown>().nullable(),
    toValue: p.json<unknown>().nullable(),
    reason: p.string().columnType('text').nullable(),
    actorKind: p.enum(['human', 'assistant', 'agent', 'system'] as const),
    actorUserId: p.uuid(),
    client: p.string().columnType('text').nullable(),
    credentialLabel: p.string().columnType('text').nullable(),
    /** The tool, job or command that made the change. */
    call: p.string().columnType('text'),
    createdAt: p.datetime(),
  },
  indexes: [
    { name: 'activities_item', properties: ['ownerId', 'item', 'id'] },
    { name: 'activities_project', properties: ['ownerId', 'projectId', 'id'] },
  ],
})
export class Activity extends ActivitySchema.class {}
ActivitySchema.setClass(Activity)

const NotificationSchema = defineEntity({
  name: 'Notification',
  schema: 'workspace',
  tableName: 'notifications',
  properties: {
    /** The user who is told. */
    ownerId: p.uuid().primary(),
    id: p.uuid().primary(),
    kind: p.string().columnType('text'),
    title: p.string().columnType('text'),
    body: p.string().columnType('text').nullable(),
    /** The item may be of another owner, so there is no foreign key. */
    itemOwnerId: p.uuid().nullable(),
    itemId: p.uuid().nullable(),
    data: p.json<object>().nullable(),
    createdAt: p.datetime(),
    readAt: p.datetime().nullable(),
  },
  indexes: [{ name: 'notifications_unread', properties: ['ownerId', 'id'], where: { readAt: null } }],
})
export class Notification extends NotificationSchema.class {}
NotificationSchema.setClass(Notification)

/** What a user chose; settings without a row have their default. */
const SettingSchema = defineEntity({
  name: 'UserSetting',
  schema: 'workspace',
  tableName: 'settings',
  properties: {
    ownerId: p.uuid().primary(),
    key: p.string().columnType('text').primary(),
    value: p.json<unknown>(),
    updatedAt: p.datetime(),
  },
})

export const entities = [ActivitySchema, NotificationSchema, SettingSchema]
