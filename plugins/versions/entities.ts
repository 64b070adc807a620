import { belongsTo, defineTable, p, type TablesOf } from 'tasuki/entities'
import { defineMembership } from '../items/entities.ts'
import { namedOfProject } from '../projects/entities.ts'

export const Version = defineTable('versions.versions', {
  properties: {
    ...namedOfProject,
    description: p.text().nullable(),
    targetDate: p.date().nullable(),
    status: p.enum(['planning', 'released', 'archived'] as const).default('planning'),
    /** Set if and only if the status is released. */
    releasedAt: p.datetime().nullable(),
  },
  uniques: [{ name: 'versions_name_unique', properties: ['ownerId', 'project', 'nameKey'] }],
})

/** The version of an item; at most one. */
const ItemVersionSchema = defineMembership('versions.item_versions', {
  version: () => belongsTo(Version, 'version_id'),
})

export const entities = [Version, ItemVersionSchema]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'versions', typeof entities> {}
}
