import { belongsTo, defineTable, named, p, timestamps, type TablesOf } from 'tasuki/entities'
import { itemKey } from '../items/entities.ts'
import { recordOfProject } from '../projects/entities.ts'

const VersionSchema = defineTable('versions.versions', {
  properties: {
    ...recordOfProject,
    ...named,
    description: p.text().nullable(),
    targetDate: p.date().nullable(),
    status: p.enum(['planning', 'released', 'archived'] as const).default('planning'),
    /** Set if and only if the status is released. */
    releasedAt: p.datetime().nullable(),
    ...timestamps,
  },
  uniques: [{ name: 'versions_name_unique', properties: ['ownerId', 'project', 'nameKey'] }],
})
export class Version extends VersionSchema.class {}
VersionSchema.setClass(Version)

/** The version of an item; at most one. */
const ItemVersionSchema = defineTable('versions.item_versions', {
  properties: {
    ...itemKey,
    version: () => belongsTo(Version, 'version_id'),
  },
  indexes: [{ name: 'item_versions_version', properties: ['ownerId', 'version', 'item'] }],
})

export const entities = [VersionSchema, ItemVersionSchema]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'versions', typeof entities> {}
}
