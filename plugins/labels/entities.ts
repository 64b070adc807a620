import { belongsTo, defineTable, ownedKey, p, timestamps, type TablesOf } from 'tasuki/entities'
import { Item } from '../items/entities.ts'
import { Project } from '../projects/entities.ts'

const LabelSchema = defineTable('labels.labels', {
  properties: {
    ...ownedKey,
    project: () => belongsTo(Project, 'project_id'),
    name: p.text(),
    /** What names are compared by; see `nameKey`. */
    nameKey: p.text(),
    description: p.text().nullable(),
    colorHex: p.text().nullable(),
    displayOrder: p.integer(),
    /** Deleted but left on the items that carry it. */
    archivedAt: p.datetime().nullable(),
    ...timestamps,
  },
  uniques: [{ name: 'labels_name_unique', properties: ['ownerId', 'project', 'nameKey'] }],
})
export class Label extends LabelSchema.class {}
LabelSchema.setClass(Label)

const ItemLabelSchema = defineTable('labels.item_labels', {
  properties: {
    ownerId: p.uuid().primary(),
    item: () => belongsTo(Item, 'item_id').primary(),
    label: () => belongsTo(Label, 'label_id').primary(),
  },
  indexes: [{ name: 'item_labels_label', properties: ['ownerId', 'label', 'item'] }],
})

export const entities = [LabelSchema, ItemLabelSchema]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'labels', typeof entities> {}
}
