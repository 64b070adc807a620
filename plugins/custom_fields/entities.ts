import { belongsTo, defineTable, p, type TablesOf } from 'tasuki/entities'
import { itemKey } from '../items/entities.ts'
import { recordOfProject } from '../projects/entities.ts'

export const CustomField = defineTable('custom_fields.fields', {
  properties: {
    ...recordOfProject,
    fieldKey: p.text(),
    label: p.text(),
    isRequired: p.boolean().default(false),
    displayOrder: p.integer().default(0),
    /** A deleted field becomes inactive: its values stay. */
    isActive: p.boolean().default(true),
    createdAt: p.datetime(),
  },
  uniques: [{ name: 'fields_key_unique', properties: ['ownerId', 'project', 'fieldKey'] }],
})

const ValueSchema = defineTable('custom_fields.values', {
  properties: { ...itemKey, field: () => belongsTo(CustomField, 'field_id').primary(), value: p.text() },
  indexes: [{ name: 'values_field', properties: ['ownerId', 'field'] }],
})

export const entities = [CustomField, ValueSchema]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'custom_fields', typeof entities> {}
}
