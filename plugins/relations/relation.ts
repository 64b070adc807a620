import { choice, iso, renderFragment, sql, Type, type RawBuilder, type ReadContext, type Static } from 'tasuki/plugin'
import { access, keyColumn, visible } from '../projects/index.ts'

/** What the target is to the source: the source's parent, the item it was generated from, its previous instance. */
export const RELATION_TYPES = [
  'parent',
  'child',
  'reference',
  'duplicate',
  'generated_from',
  'enriches',
  'previous_instance',
] as const
export type RelationType = (typeof RELATION_TYPES)[number]
/** Types that are links of their own; parent and child are the item's parent. */
export type StoredType = Exclude<RelationType, 'parent' | 'child'>

export const relationType = choice(RELATION_TYPES, { description: 'What the target is to the source.' })

export function isStored(type: RelationType): type is StoredType {
  return type !== 'parent' && type !== 'child'
}

/** A relation as results show it. The id of a parent link is the id of the child. */
export const relation = Type.Object({
  id: Type.String(),
  relation_type: Type.String(),
  source_ref: Type.String(),
  source_title: Type.String(),
  target_ref: Type.String(),
  target_title: Type.String(),
  created_at: Type.Optional(Type.String()),
})
export type RelationRow = Static<typeof relation>

const ends = sql`
  join items.items si on si.owner_id = r.owner_id and si.id = r.source_id
  join projects.projects sp on sp.owner_id = si.owner_id and sp.id = si.project_id
  join items.items ti on ti.owner_id = r.owner_id and ti.id = r.target_id
  join projects.projects tp on tp.owner_id = ti.owner_id and tp.id = ti.project_id`

/** Every edge: stored relations, and the parent links of items as `parent` from child to parent. */
const edges = sql`(
  select owner_id, id, source_id, target_id, type, created_at from relations.relations
  union all
  select owner_id, id, id as source_id, parent_id as target_id, 'parent', null::timestamptz from items.items where parent_id is not null) r`

/** Selects relations by a condition on `r` (owner_id, id, source_id, target_id, type), in the order of their ends. */
export function selectRelations(
  ctx: ReadContext,
  condition: RawBuilder<boolean>,
): RawBuilder<RelationRow & { ownerId: string; sourceId: string; targetId: string }> {
  return sql`
    select r.id, r.type as relation_type, ${keyColumn(ctx, 'sp')} || '#' || si.number as source_ref, si.title as source_title,
      ${keyColumn(ctx, 'tp')} || '#' || ti.number as target_ref, ti.title as target_title, ${iso('r.created_at')} as created_at,
      r.owner_id as "ownerId", r.source_id as "sourceId", r.target_id as "targetId", si.project_id as "projectId"
    from ${edges} ${ends} where ${condition} order by si.number, ti.number, r.type`
}

/** @param ref SQL of the reference of the item itself */
const edgeOfItem = (ref: RawBuilder<string>) => sql`'id', r.id, 'relation_type', r.type,
    'source_ref', case when r.outgoing then ${ref} else e.ref end, 'source_title', case when r.outgoing then i.title else e.title end,
    'target_ref', case when r.outgoing then e.ref else ${ref} end, 'target_title', case when r.outgoing then e.title else i.title end`

/**
 * json array of relations, to be selected `fromRelationsOfItem`; null when there is none. One end of each is the item `i` of the
 * project `p` itself.
 */
export function relationsArray(ctx: ReadContext): RawBuilder<unknown> {
  return access(ctx).shared.length === 0 ? plainArray : arrayOf(keyColumn(ctx, 'p'))
}

function arrayOf(key: RawBuilder<string>): RawBuilder<unknown> {
  const edge = edgeOfItem(sql<string>`${key} || '#' || i.number`)
  return sql`
    json_agg(case when r.created_at is null then json_build_object(${edge})
      else json_build_object(${edge}, 'created_at', ${iso('r.created_at')}) end
      order by case when r.outgoing then i.number else e.number end, case when r.outgoing then e.number else i.number end, r.type)`
}

const plainArray = renderFragment(arrayOf(sql<string>`p.key`))

/**
 * The relations of the item `i`, both ways, to items that the caller may see: each as the edge `r` and the other end `e`, which is looked
 * up by key for each link, whatever the planner knows of the tables.
 */
export function fromRelationsOfItem(ctx: ReadContext): RawBuilder<unknown> {
  return sql`
    from (
      select o.id, o.type, true as outgoing, o.target_id as other_id, o.created_at from relations.relations o
      where o.owner_id = i.owner_id and o.source_id = i.id
      union all
      select o.id, o.type, false, o.source_id, o.created_at from relations.relations o
      where o.owner_id = i.owner_id and o.target_id = i.id and o.source_id <> i.id
      union all
      select i.id, 'parent', true, i.parent_id, null where i.parent_id is not null
      union all
      select c.id, 'parent', false, c.id, null from items.items c where c.owner_id = i.owner_id and c.parent_id = i.id
    ) r cross join lateral (
      select ${keyColumn(ctx, 'ep')} || '#' || x.number as ref, x.title, x.number
      from items.items x join projects.projects ep on ep.owner_id = x.owner_id and ep.id = x.project_id
      where x.owner_id = i.owner_id and x.id = r.other_id and ${visible(ctx, 'x')} offset 0
    ) e`
}

/** The row without what is only for the plugin itself. */
export function toRelationJson({
  id,
  relation_type,
  source_ref,
  source_title,
  target_ref,
  target_title,
  created_at,
}: RelationRow): RelationRow {
  return { id, relation_type, source_ref, source_title, target_ref, target_title, ...(created_at && { created_at }) }
}
