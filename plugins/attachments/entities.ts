import { belongsTo, defineTable, ownedKey, p, type TablesOf } from 'tasuki/entities'
import { Item } from '../items/entities.ts'

/** Who requested the upload, for the history entry that an upload by link makes later. */
export interface Uploader {
  readonly kind: 'human' | 'assistant' | 'agent' | 'system'
  readonly credentialId: string | null
  readonly credentialLabel: string | null
  readonly client: string | null
}

/** A file that is attached to something. The storage has its bytes under `<owner id>/<id>`. */
const AttachmentSchema = defineTable('attachments.attachments', {
  properties: {
    ...ownedKey,
    /** Members of this project see it; null = only the owner. */
    projectId: p.uuid().nullable(),
    /** The item that it is attached to, directly or through a discussion. */
    item: () => belongsTo(Item, 'item_id').nullable(),
    parentKind: p.text(),
    parentId: p.uuid(),
    filename: p.text(),
    mimeType: p.text(),
    /** Bytes; of a pending file, the bytes that are reserved for it. */
    size: p.integer(),
    state: p.enum(['pending', 'receiving', 'stored'] as const),
    /** When a pending file is deleted; null exactly when it is stored. */
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
