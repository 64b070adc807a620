import { belongsTo, defineEntity, p, type TablesOf } from 'tasuki/entities'
import { Item } from '../items/entities.ts'

/** What the file's maker was, for the history entry that an upload by link makes later. */
export interface Uploader {
  readonly kind: 'human' | 'assistant' | 'agent' | 'system'
  readonly credentialId: string | null
  readonly credentialLabel: string | null
  readonly client: string | null
}

/** A file that hangs on something. The bytes lie in the storage under `<owner id>/<id>`. */
const AttachmentSchema = defineEntity({
  name: 'Attachment',
  schema: 'attachments',
  tableName: 'attachments',
  properties: {
    ownerId: p.uuid().primary(),
    id: p.uuid().primary(),
    /** What decides who sees it; null = the owner alone. */
    projectId: p.uuid().nullable(),
    /** The item that it hangs on, directly or through a discussion. */
    item: () => belongsTo(Item, 'item_id').nullable(),
    parentKind: p.text(),
    parentId: p.uuid(),
    filename: p.text(),
    mimeType: p.text(),
    /** Bytes; of a file that is not there yet, what is kept free for it. */
    size: p.integer(),
    state: p.enum(['pending', 'receiving', 'stored'] as const),
    /** When a file that is not there yet is given up; null exactly when it is stored. */
    expiresAt: p.datetime().nullable(),
    createdBy: p.uuid(),
    uploader: p.json<Uploader>(),
    createdAt: p.datetime(),
  },
  indexes: [
    { name: 'attachments_parent', properties: ['ownerId', 'parentId', 'id'] },
    { name: 'attachments_item', properties: ['ownerId', 'item'] },
    { name: 'attachments_expires', properties: ['ownerId', 'expiresAt'], where: { expiresAt: { $ne: null } } },
  ],
})

export const entities = [AttachmentSchema]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'attachments', typeof entities> {}
}
