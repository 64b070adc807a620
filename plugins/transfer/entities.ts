import { belongsTo, defineTable, ownedKey, p, timestamps, type TablesOf } from 'tasuki/entities'
import { itemKey } from '../items/entities.ts'
import { Project } from '../projects/entities.ts'
import type { Position } from './sets.ts'

/** Where imported items came from, so that none is imported twice. */
const OriginSchema = defineTable('transfer.origins', {
  properties: {
    ...itemKey,
    /** The project that it was imported into. */
    project: () => belongsTo(Project, 'project_id'),
    format: p.text(),
    /** What identifies it in its source. */
    key: p.text(),
    author: p.text().nullable(),
    assignee: p.text().nullable(),
    createdAt: p.datetime(),
  },
  uniques: [{ name: 'origins_key_unique', properties: ['ownerId', 'project', 'format', 'key'] }],
})

/** Why an import stopped, as the error says it. */
export interface ImportFault {
  readonly code: string
  readonly message: string
  readonly hint?: string
}

/** A file that a user uploads to import, and how far its import is. */
const UploadSchema = defineTable('transfer.uploads', {
  properties: {
    ...ownedKey,
    filename: p.text(),
    /** Bytes. */
    size: p.integer(),
    format: p.text(),
    /** The project that it is imported into, maybe of another owner; null = one that is made with the import. */
    projectOwnerId: p.uuid().nullable(),
    projectId: p.uuid().nullable(),
    newKey: p.text().nullable(),
    newName: p.text().nullable(),
    /** Heads of columns by field. */
    columns: p.json<Record<string, string>>(),
    /** States of the project by those of the file. */
    states: p.json<Record<string, string>>(),
    state: p.enum(['draft', 'running', 'done', 'failed', 'cancelled'] as const),
    /** Null before it begins. */
    position: p.json<Position>().nullable(),
    /** Items of the file. */
    total: p.integer(),
    fault: p.json<ImportFault>().nullable(),
    ...timestamps,
    /** When it is deleted. */
    expiresAt: p.datetime(),
  },
  indexes: [
    { name: 'uploads_expires', properties: ['expiresAt'] },
    { name: 'uploads_running', properties: ['updatedAt'], where: { state: 'running' } },
  ],
})
export class Upload extends UploadSchema.class {}
UploadSchema.setClass(Upload)

/** The bytes of an upload until its import is through. */
const ChunkSchema = defineTable('transfer.chunks', {
  properties: {
    ownerId: p.uuid().primary(),
    upload: () => belongsTo(Upload, 'upload_id').primary(),
    n: p.integer().primary(),
    /** Base64: archives of all engines have text. */
    bytes: p.text(),
  },
})

export const entities = [OriginSchema, UploadSchema, ChunkSchema]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'transfer', typeof entities> {}
}
