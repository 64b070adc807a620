import { defineEntity, p } from 'tasuki/entities'
import { Item } from '../items/entities.ts'
import { Project } from '../projects/entities.ts'

const LabelSchema = defineEntity({
  name: 'Label',
  schema: 'labels',
  tableName: 'labels',
  properties: {
    ownerId: p.uuid().primary(),
    id: p.uuid().primary(),
    project: () =>
      p
        .manyToOne(Project)
        .joinColumns('owner_id', 'project_id')
        .ownColumns('project_id')
        .deleteRule('cascade')
        .updateRule('no action'),
    name: p.string().columnType('text'),
    /** What names are compared by; see `labelKey`. */
    nameKey: p.string().columnType('text'),
    description: p.string().columnType('text').nullable(),
    colorHex: p.string().columnType('text').nullable(),
    displayOrder: p.integer(),
    /** Deleted but left on the items that carry it. */
    archivedAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
  uniques: [{ name: 'labels_name_unique', properties: ['ownerId', 'project', 'nameKey'] }],
})
export class Label extends LabelSchema.class {}
LabelSchema.setClass(Label)

const ItemLabelSchema = defineEntity({
  name: 'ItemLabel',
  schema: 'labels',
  tableName: 'item_labels',
  properties: {
    ownerId: p.uuid().primary(),
    item: () =>
      p
        .manyToOne(Item)
        .primary()
        .joinColumns('owner_id', 'item_id')
        .ownColumns('item_id')
        .deleteRule('cascade')
        .updateRule('no action'),
    label: () =>
      p
        .manyToOne(Label)
        .primary()
        .joinColumns('owner_id', 'label_id')
        .ownColumns('label_id')
        .deleteRule('cascade')
        .updateRule('no action'),
  },
  indexes: [{ name: 'item_labels_label', properties: ['ownerId', 'label', 'item'] }],
})

export const entities = [LabelSchema, ItemLabelSchema]
