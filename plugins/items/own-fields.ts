import { iso, nullable, sql, Type } from 'tasuki/plugin'
import { keyColumn, visible } from '../projects/index.ts'
import { BUILT_IN_KINDS } from './kinds.ts'
import { itemFields, itemPolicies } from './points.ts'

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
  sql: sql`json_build_object('created_at', ${iso('i.created_at')}, 'updated_at', ${iso('i.updated_at')},
    'completed_at', ${iso('i.completed_at')}, 'last_activity_at', ${iso('i.last_activity_at')})`,
})

/** The parent link, where the caller may see the parent. */
export const parentLink = itemFields({
  when: 'include_relations',
  summary: 'parent',
  fields: { parent_ref: nullable(Type.String()), parent_title: Type.String(), parent_kind: Type.String() },
  written: ['parent_ref'],
  sql: ctx => sql`select json_build_object('parent_ref', ${keyColumn(ctx, 'pp')} || '#' || pi.number, 'parent_title', pi.title, 'parent_kind', pi.kind)
    from items.items pi join projects.projects pp on pp.owner_id = pi.owner_id and pp.id = pi.project_id
    where pi.owner_id = i.owner_id and pi.id = i.parent_id and ${visible(ctx, 'pi')}`,
})

/** What the item's project allows: its kinds, and what plugins say of theirs. */
export const fieldPolicy = itemFields({
  when: 'include_agile',
  single: false,
  summary: 'field policy',
  fields: { resolved_field_policy: Type.Object({}) },
  sql: ctx => {
    const parts = ctx.all(itemPolicies).map(policy => sql`, ${sql.lit(policy.name)}, (${policy.sql(ctx)})`)
    return sql`jsonb_build_object('resolved_field_policy', jsonb_build_object('kind', jsonb_build_object('allowed',
      ${sql.lit(JSON.stringify(BUILT_IN_KINDS))}::jsonb || coalesce((
        select jsonb_agg(k.kind order by k.display_order, k.kind) from items.kinds k
        where k.owner_id = p.owner_id and k.project_id = p.id), '[]')) ${sql.join(parts, sql``)}))`
  },
})
