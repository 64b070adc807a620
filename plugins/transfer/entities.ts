import { belongsTo, defineTable, p, type TablesOf } from 'tasuki/entities'
import { itemKey } from '../items/entities.ts'
import { Project } from '../projects/entities.ts'

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

export const entities = [OriginSchema]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'transfer', typeof entities> {}
}
