import { belongsTo, defineTable, p, uniqueOn, type TablesOf } from 'tasuki/entities'
import { defineMembership } from '../items/entities.ts'
import { namedOfProject } from '../projects/entities.ts'

const AreaSchema = defineTable('areas.areas', {
  properties: {
    ...namedOfProject,
    /** Null = top level. */
    parent: () => belongsTo(Area, 'parent_id').nullable(),
    description: p.text().nullable(),
    /** Position among its siblings. */
    displayOrder: p.integer(),
    /** Areas below an archived one count as archived, without a value of their own. */
    archivedAt: p.datetime().nullable(),
  },
  uniques: [{ name: 'areas_sibling_unique', properties: ['ownerId', 'parent', 'nameKey'] }],
  indexes: [
    { name: 'areas_project', properties: ['ownerId', 'project', 'nameKey'] },
    uniqueOn('areas_root_unique', '(owner_id, project_id, name_key) where (parent_id is null)'),
  ],
})
export class Area extends AreaSchema.class {}
AreaSchema.setClass(Area)

/** The area of an item; at most one. */
const ItemAreaSchema = defineMembership('areas.item_areas', { area: () => belongsTo(Area, 'area_id') })

export const entities = [AreaSchema, ItemAreaSchema]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'areas', typeof entities> {}
}
