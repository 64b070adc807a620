import { nullable, Type } from 'tasuki/plugin'
import { parentField, policyField, timestampsField } from './item-columns.repository.ts'
import { itemFields } from './points.ts'

/** Timestamps; opt-in in listings. */
export const timestamps = itemFields({
  when: 'include_timestamps',
  summary: 'timestamps',
  fields: {
    created_at: Type.String(),
    updated_at: Type.String(),
    completed_at: nullable(Type.String()),
    last_activity_at: Type.String(),
  },
  // A client passes `updated_at` to its next conditional write.
  written: ['updated_at', 'completed_at'],
  // `completed_at: null` means unfinished.
  nulls: 'always',
  sql: timestampsField,
})

/** The parent, if the caller may see it. */
export const parentLink = itemFields({
  when: 'include_relations',
  summary: 'parent',
  fields: { parent_ref: nullable(Type.String()), parent_title: Type.String(), parent_kind: Type.String() },
  written: ['parent_ref'],
  sql: parentField,
})

/** The policies of the item's project: its kinds, and what plugins add. */
export const fieldPolicy = itemFields({
  when: 'include_agile',
  single: false,
  summary: 'field policy',
  fields: { resolved_field_policy: Type.Object({}) },
  sql: policyField,
})
