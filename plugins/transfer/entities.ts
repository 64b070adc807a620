import { belongsTo, defineTable, ownedKey, p, timestamps, type TablesOf } from 'tasuki/entities'
import type { ErrorCode } from 'tasuki/plugin'
import { itemKey } from '../items/entities.ts'
import { Project } from '../projects/entities.ts'
import type { Position } from './sets.ts'

/** The sources of imported items, so that no item is imported twice. */
const OriginSchema = defineTable('transfer.origins', {
  properties: {
    ...itemKey,
    /** The target project of the import. */
    project: () => belongsTo(Project, 'project_id'),
    format: p.text(),
    /** The item's key in its source. */
    key: p.text(),
    author: p.text().nullable(),
    assignee: p.text().nullable(),
    createdAt: p.datetime(),
  },
  uniques: [{ name: 'origins_key_unique', properties: ['ownerId', 'project', 'format', 'key'] }],
})

/** Why an import stopped. */
export interface ImportFault {
  readonly code: ErrorCode
  readonly message: string
  readonly hint?: string
}

/** A file that a user uploaded for an import, and the progress of the import. */
const Upload = defineTable('transfer.uploads', {
  properties: {
    ...ownedKey,
    filename: p.text(),
    /** Bytes. */
    size: p.integer(),
    format: p.text(),
    /** The target project, possibly of another owner; null = created by the import. */
    projectOwnerId: p.uuid().nullable(),
    projectId: p.uuid().nullable(),
    newKey: p.text().nullable(),
    newName: p.text().nullable(),
    /** Column names by field. */
    columns: p.json<Record<string, string>>(),
    /** States of the project by state in the file. */
    states: p.json<Record<string, string>>(),
    state: p.enum(['draft', 'running', 'done', 'failed', 'cancelled'] as const),
    /** Null before the start. */
    position: p.json<Position>().nullable(),
    /** Number of items in the file. */
    total: p.integer(),
    fault: p.json<ImportFault>().nullable(),
    ...timestamps,
    /** When the upload is deleted. */
    expiresAt: p.datetime(),
  },
  indexes: [
    { name: 'uploads_expires', properties: ['expiresAt'] },
    { name: 'uploads_running', properties: ['updatedAt'], where: { state: 'running' } },
  ],
})

/** The bytes of an upload, kept until the import is complete. */
const ChunkSchema = defineTable('transfer.chunks', {
  properties: {
    ownerId: p.uuid().primary(),
    upload: () => belongsTo(Upload, 'upload_id').primary(),
    n: p.integer().primary(),
    /** Base64: archives of all engines support text. */
    bytes: p.text(),
  },
})

export const entities = [OriginSchema, Upload, ChunkSchema]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'transfer', typeof entities> {}
}
