import { belongsTo, defineTable, p, type TablesOf } from 'tasuki/entities'
import { defineMembership } from '../items/entities.ts'
import { namedOfProject } from '../projects/entities.ts'

export const Label = defineTable('labels.labels', {
  properties: {
    ...namedOfProject,
    description: p.text().nullable(),
    colorHex: p.text().nullable(),
    displayOrder: p.integer(),
    /** A deleted label that still has items. */
    archivedAt: p.datetime().nullable(),
  },
  uniques: [{ name: 'labels_name_unique', properties: ['ownerId', 'project', 'nameKey'] }],
})

const ItemLabelSchema = defineMembership('labels.item_labels', { label: () => belongsTo(Label, 'label_id').primary() })

export const entities = [Label, ItemLabelSchema]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'labels', typeof entities> {}
}
