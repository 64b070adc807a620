import { belongsTo, defineTable, named, p, timestamps, type TablesOf } from 'tasuki/entities'
import { itemKey } from '../items/entities.ts'
import { recordOfProject } from '../projects/entities.ts'

const LabelSchema = defineTable('labels.labels', {
  properties: {
    ...recordOfProject,
    ...named,
    description: p.text().nullable(),
    colorHex: p.text().nullable(),
    displayOrder: p.integer(),
    /** A deleted label that still has items. */
    archivedAt: p.datetime().nullable(),
    ...timestamps,
  },
  uniques: [{ name: 'labels_name_unique', properties: ['ownerId', 'project', 'nameKey'] }],
})
export class Label extends LabelSchema.class {}
LabelSchema.setClass(Label)

const ItemLabelSchema = defineTable('labels.item_labels', {
  properties: {
    ...itemKey,
    label: () => belongsTo(Label, 'label_id').primary(),
  },
  indexes: [{ name: 'item_labels_label', properties: ['ownerId', 'label', 'item'] }],
})

export const entities = [LabelSchema, ItemLabelSchema]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'labels', typeof entities> {}
}
