import { nullable, Type } from 'tasuki/plugin'
import { parentField, policyField, timestampsField } from './item-columns.repository.ts'
import { itemFields } from './points.ts'

/** Instants, opt-in in listings. */
export const timestamps = itemFields({
  when: 'include_timestamps',
  summary: 'timestamps',
  fields: {
    created_at: Type.String(),
    updated_at: Type.String(),
    completed_at: nullable(Type.String()),
    last_activity_at: Type.String(),
  },
  // The time of the change is what the next conditional write gives.
  written: ['updated_at', 'completed_at'],
  // `completed_at: null` is an unfinished item.
  nulls: 'always',
  sql: timestampsField,
})

/** The parent link, where the caller may see the parent. */
export const parentLink = itemFields({
  when: 'include_relations',
  summary: 'parent',
  fields: { parent_ref: nullable(Type.String()), parent_title: Type.String(), parent_kind: Type.String() },
  written: ['parent_ref'],
  sql: parentField,
})

/** What the item's project allows: its kinds, and what plugins say of theirs. */
export const fieldPolicy = itemFields({
  when: 'include_agile',
  single: false,
  summary: 'field policy',
  fields: { resolved_field_policy: Type.Object({}) },
  sql: policyField,
})
