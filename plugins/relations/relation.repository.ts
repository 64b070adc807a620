import { allOf, compare, exists, insertRecords, iso, isOneOf, recordset, sql, uuid } from 'tasuki/plugin'
import type { Condition, Expression, ReadContext, Row, WriteContext } from 'tasuki/plugin'
import { fromOther, isReferencedItem, otherRef, seesOther, type ItemKey, type ItemRefValue } from '../items/index.ts'
import { refColumn, visible } from '../projects/index.ts'
import type { RelationRow, StoredType } from './relation.ts'

/** Condition for the other end `o` of the relation `r` of the item `i`. */
const isOtherEnd = sql.raw<boolean>('o.id = case when r.source_id = i.id then r.target_id else r.source_id end')
/** Returns the condition that the item `i` has a stored relation `r` that meets a condition. */
function isRelated(condition: Condition): Condition {
  return sql`exists (select from relations.relations r
    where r.owner_id = i.owner_id and (r.source_id = i.id or r.target_id = i.id) and ${condition})`
}

/** Returns the condition that the item `i` has a stored relation to an item that the caller may see. */
export function hasRelation(ctx: ReadContext): Condition {
  return isRelated(seesOther(ctx, 'r.owner_id', isOtherEnd))
}

/** Returns the condition that the item `i` has a stored relation to the item that a reference names. */
export function relatesTo(ctx: ReadContext, ref: ItemRefValue): Condition {
  return isRelated(exists(fromOther(ctx, 'r.owner_id', allOf([isOtherEnd, isReferencedItem(ctx, 'o', 'op', ref)]))))
}

/** The ids of two linked items. */
export type Ends = Readonly<Pick<Row<'relations.relations'>, 'source_id' | 'target_id'>>

/** A relation with the ids of its ends. */
export type FoundRelation = RelationRow & Ends

/**
 * Reads relations by a condition on `r` (owner_id, id, source_id, target_id, type), in the order of their ends; the caller must be able to
 * see both.
 */
async function readRelations(ctx: ReadContext, condition: Condition): Promise<readonly FoundRelation[]> {
  // All edges: stored relations, and parents of items as `parent` from child to parent.
  const { rows } = await sql<FoundRelation>`
    select r.id, r.type as relation_type, ${refColumn(ctx, 'sp', 'si')} as source_ref, si.title as source_title,
      ${refColumn(ctx, 'tp', 'ti')} as target_ref, ti.title as target_title, ${iso('r.created_at')} as created_at,
      r.source_id, r.target_id
    from (
      select owner_id, id, source_id, target_id, type, created_at from relations.relations
      union all
      select owner_id, id, id as source_id, parent_id as target_id, 'parent', null::timestamptz from items.items where parent_id is not null) r
    join items.items si on si.owner_id = r.owner_id and si.id = r.source_id
    join projects.projects sp on sp.owner_id = si.owner_id and sp.id = si.project_id
    join items.items ti on ti.owner_id = r.owner_id and ti.id = r.target_id
    join projects.projects tp on tp.owner_id = ti.owner_id and tp.id = ti.project_id
    where ${condition} and ${visible(ctx, 'si')} and ${visible(ctx, 'ti')} order by si.number, ti.number, r.type
  `.execute(ctx.db)
  return rows
}

/** Finds a relation if the caller may see both ends. */
export async function findRelation(ctx: ReadContext, id: string): Promise<FoundRelation | undefined> {
  const [row] = await readRelations(ctx, compare('r.id', '=', id))
  return row
}

/** Reads the links of items to parents that the caller may see. @param children at least one */
export function readParentLinks(ctx: ReadContext, children: readonly ItemKey[]): Promise<readonly FoundRelation[]> {
  const keys = children.map(({ ownerId, id }) => [ownerId, id])
  return readRelations(ctx, allOf([isOneOf(['r.owner_id', 'r.source_id'], keys), compare('r.type', '=', 'parent')]))
}

/** Two items of one owner. */
export interface Pair {
  readonly source: ItemKey
  readonly target: ItemKey
}

/** Reads the relations of a type between pairs of items. @param pairs at least one */
export function readPairs(ctx: ReadContext, pairs: readonly Pair[], type: StoredType | 'parent') {
  const keys = pairs.map(({ source, target }) => [source.ownerId, source.id, target.id])
  const isPair = isOneOf(['r.owner_id', 'r.source_id', 'r.target_id'], keys)
  return readRelations(ctx, allOf([isPair, compare('r.type', '=', type)]))
}

/** Returns SQL for a json array of relations for `selectRelations`; null for none. One end of each is the item `i` of the project `p`. */
function relationsArray(ctx: ReadContext): Expression<unknown> {
  const ref = refColumn(ctx)
  const edge = sql`'id', r.id, 'relation_type', r.type,
    'source_ref', case when r.outgoing then ${ref} else e.ref end, 'source_title', case when r.outgoing then i.title else e.title end,
    'target_ref', case when r.outgoing then e.ref else ${ref} end, 'target_title', case when r.outgoing then e.title else i.title end`
  return sql`
    json_agg(case when r.created_at is null then json_build_object(${edge})
      else json_build_object(${edge}, 'created_at', ${iso('r.created_at')}) end
      order by case when r.outgoing then i.number else e.number end, case when r.outgoing then e.number else i.number end, r.type)`
}

/**
 * Selects the relations of the item `i`, in both directions, to items that the caller may see: each as the edge `r` and the other end `e`,
 * which is looked up by key per link, independent of the planner's statistics.
 */
function selectRelations(ctx: ReadContext, shown: Expression<unknown>): Expression<unknown> {
  return sql`select ${shown}
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
      select ${otherRef(ctx)} as ref, o.title, o.number ${fromOther(ctx, 'i.owner_id', compare('o.id', '=', sql.ref('r.other_id')))} offset 0
    ) e`
}

/** Selects the relations of the item `i` as a json array; null for none. */
export function relationsOfItem(ctx: ReadContext): Expression<unknown> {
  return selectRelations(ctx, relationsArray(ctx))
}

/** Selects the relations of the item `i` as a field of items. */
export function relationsField(ctx: ReadContext): Expression<unknown> {
  return selectRelations(ctx, sql`json_build_object('relations', ${relationsArray(ctx)})`)
}

/** Returns SQL for the stored relations of the item `i`, in both directions, to items that the caller may see, as a json array or null. */
export function linksText(ctx: ReadContext): Expression<unknown> {
  const links = sql`json_agg(json_build_object('type', r.type, 'outgoing', r.outgoing, 'key', r.other_id, 'ref', e.ref, 'title', e.title)
    order by r.outgoing desc, r.type, e.number)`
  return sql`${selectRelations(ctx, links)} where r.type <> 'parent'`
}

/** Links pairs of items. @returns the pairs that were not linked before */
export async function insertRelations(ctx: WriteContext, pairs: readonly Pair[], type: StoredType) {
  if (pairs.length === 0) return []
  const rows = pairs.map(({ source, target }) => ({
    owner_id: source.ownerId,
    id: uuid(),
    source_id: source.id,
    target_id: target.id,
    type,
    created_at: ctx.now,
  }))
  return insertRecords(ctx.db, 'relations.relations', rows)
    .onConflict(conflict => conflict.columns(['owner_id', 'source_id', 'target_id', 'type']).doNothing())
    .returning(['source_id', 'target_id'])
    .execute()
}

/** Removes the links of a type between pairs of items. @returns the pairs that were linked */
export function deleteRelations(ctx: WriteContext, pairs: readonly Pair[], type: StoredType): Promise<readonly Ends[]> {
  const rows = pairs.map(({ source, target }) => ({
    owner_id: source.ownerId,
    source_id: source.id,
    target_id: target.id,
  }))
  return ctx.db
    .deleteFrom('relations.relations as r')
    .using(recordset('v', { owner_id: 'uuid', source_id: 'uuid', target_id: 'uuid' }, rows))
    .whereRef('r.owner_id', '=', 'v.owner_id')
    .whereRef('r.source_id', '=', 'v.source_id')
    .whereRef('r.target_id', '=', 'v.target_id')
    .where('r.type', '=', type)
    .returning(['r.source_id', 'r.target_id'])
    .execute()
}
