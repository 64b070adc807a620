import { iso, nullable, sql, Type } from 'tasuki/plugin'
import { itemFields } from './points.ts'

/** Instants, opt-in in listings. */
export const timestamps = itemFields({
  when: 'include_timestamps',
  summary: 'created_at, updated_at, completed_at, last_activity_at',
  fields: { created_at: Type.String(), updated_at: Type.String(), completed_at: nullable(Type.String()), last_activity_at: Type.String() },
  sql: () => sql`json_build_object('created_at', ${iso('i.created_at')}, 'updated_at', ${iso('i.updated_at')},
    'completed_at', ${iso('i.completed_at')}, 'last_activity_at', ${iso('i.last_activity_at')})`,
})

/** The parent link. */
export const parentLink = itemFields({
  when: 'include_relations',
  summary: 'parent_ref, parent_title, parent_kind',
  fields: { parent_ref: Type.String(), parent_title: Type.String(), parent_kind: Type.String() },
  sql: () => sql`select json_build_object('parent_ref', pp.key || '#' || pi.number, 'parent_title', pi.title, 'parent_kind', pi.kind)
    from items.items pi join projects.projects pp on pp.owner_id = pi.owner_id and pp.id = pi.project_id
    where pi.owner_id = i.owner_id and pi.id = i.parent_id`,
})
