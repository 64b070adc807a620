import { defineEntity, p } from 'tasuki/entities'
import { Item } from '../items/entities.ts'
import { Project } from '../projects/entities.ts'

const FieldSchema = defineEntity({
  name: 'CustomField',
  schema: 'custom_fields',
  tableName: 'fields',
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
    fieldKey: p.string().columnType('text'),
    label: p.string().columnType('text'),
    isRequired: p.boolean().default(false),
    displayOrder: p.integer().default(0),
    /** A deleted field is only switched off: its values stay. */
    isActive: p.boolean().default(true),
    createdAt: p.datetime(),
  },
  uniques: [{ name: 'fields_key_unique', properties: ['ownerId', 'project', 'fieldKey'] }],
})
export class CustomField extends FieldSchema.class {}
FieldSchema.setClass(CustomField)

const ValueSchema = defineEntity({
  name: 'CustomFieldValue',
  schema: 'custom_fields',
  tableName: 'values',
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
    field: () =>
      p
        .manyToOne(CustomField)
        .primary()
        .joinColumns('owner_id', 'field_id')
        .ownColumns('field_id')
        .deleteRule('cascade')
        .updateRule('no action'),
    value: p.string().columnType('text'),
  },
  indexes: [{ name: 'values_field', properties: ['ownerId', 'field'] }],
})

export const entities = [FieldSchema, ValueSchema]
