import { belongsTo, defineTable, p, type TablesOf } from 'tasuki/entities'
import { defineMembership } from '../items/entities.ts'
import { namedOfProject } from '../projects/entities.ts'

const LabelSchema = defineTable('labels.labels', {
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
export class Label extends LabelSchema.class {}
LabelSchema.setClass(Label)

const ItemLabelSchema = defineMembership('labels.item_labels', { label: () => belongsTo(Label, 'label_id').primary() })

export const entities = [LabelSchema, ItemLabelSchema]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'labels', typeof entities> {}
}
