import { belongsTo, defineTable, ownedKey, p, type TablesOf } from 'tasuki/entities'
import { Item } from '../items/entities.ts'

/** The actor who requested the upload, for the history entry when the upload through a link completes. */
export interface Uploader {
  readonly kind: 'human' | 'assistant' | 'agent' | 'system'
  readonly credentialId: string | null
  readonly credentialLabel: string | null
  readonly client: string | null
}

/** A file attached to a record. Its bytes are in the storage under `<owner id>/<id>`. */
const AttachmentSchema = defineTable('attachments.attachments', {
  properties: {
    ...ownedKey,
    /** The project whose members may see the file; null = only the owner. */
    projectId: p.uuid().nullable(),
    /** The item that the file is attached to, directly or through a discussion. */
    item: () => belongsTo(Item, 'item_id').nullable(),
    parentKind: p.text(),
    parentId: p.uuid(),
    filename: p.text(),
    mimeType: p.text(),
    /** Size in bytes; for a pending file, the reserved size. */
    size: p.integer(),
    state: p.enum(['pending', 'receiving', 'stored'] as const),
    /** When a pending file is deleted; null if and only if the file is stored. */
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
