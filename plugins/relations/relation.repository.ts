import {
  iso,
  keyList,
  recordset,
  renderFragment,
  sql,
  uuid,
  type RawBuilder,
  type ReadContext,
  type Row,
  type WriteContext,
} from 'tasuki/plugin'
import {
  fromOther,
  isMeant,
  otherRef,
  readWithItem,
  seesOther,
  type ItemKey,
  type ItemRefValue,
} from '../items/index.ts'
import { access, keyColumn, visible } from '../projects/index.ts'
import type { RelationRow, StoredType } from './relation.ts'

/** The other end `o` of the relation `r` of the item `i`. */
const isOtherEnd = sql<boolean>`o.id = case when r.source_id = i.id then r.target_id else r.source_id end`
const relationsOf = sql`relations.relations r where r.owner_id = i.owner_id and (r.source_id = i.id or r.target_id = i.id)`

/** The item `i` has a stored relation with an item that the caller may see. */
export function hasRelation(ctx: ReadContext): RawBuilder<boolean> {
  return sql`exists (select from ${relationsOf} and ${seesOther(ctx, 'r.owner_id', isOtherEnd)})`
}

/** The item `i` has a stored relation with the item that a reference names. */
export function relatesTo(ctx: ReadContext, ref: ItemRefValue): RawBuilder<boolean> {
  const other = sql<boolean>`${isOtherEnd} and ${isMeant(ctx, 'o', 'op', ref)}`
  return sql`exists (select from ${relationsOf} and exists (select ${fromOther(ctx, 'r.owner_id', other)}))`
}

/** The ids of two linked items. */
export type Ends = Readonly<Pick<Row<'relations.relations'>, 'source_id' | 'target_id'>>

/** A relation with the ids of its ends. */
export type FoundRelation = RelationRow & Ends

/** Reads relations both of whose ends the caller may see by a condition on `r` (owner_id, id, source_id, target_id, type), in the order of their ends. */
async function readRelations(ctx: ReadContext, condition: RawBuilder<boolean>): Promise<readonly FoundRelation[]> {
  // Every edge: stored relations, and the parents of items as `parent` from child to parent.
  const { rows } = await sql<FoundRelation>`
    select r.id, r.type as relation_type, ${keyColumn(ctx, 'sp')} || '#' || si.number as source_ref, si.title as source_title,
      ${keyColumn(ctx, 'tp')} || '#' || ti.number as target_ref, ti.title as target_title, ${iso('r.created_at')} as created_at,
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

/** Finds a relation both of whose ends the caller may see. */
export async function findRelation(ctx: ReadContext, id: string): Promise<FoundRelation | undefined> {
  const [row] = await readRelations(ctx, sql`r.id = ${id}`)
  return row
}

/** Reads the links of items to their parents, where the caller may see the parent. @param children at least one */
export function readParentLinks(ctx: ReadContext, children: readonly ItemKey[]): Promise<readonly FoundRelation[]> {
  const keys = keyList(children.map(({ ownerId, id }) => [ownerId, id]))
  return readRelations(ctx, sql`(r.owner_id, r.source_id) in (${keys}) and r.type = 'parent'`)
}

/** Two items of one owner. */
export interface Pair {
  readonly source: ItemKey
  readonly target: ItemKey
}

/** Reads the relations of a type between pairs of items. @param pairs at least one */
export function readPairs(
  ctx: ReadContext,
  pairs: readonly Pair[],
  type: StoredType | 'parent',
): Promise<readonly FoundRelation[]> {
  const keys = keyList(pairs.map(({ source, target }) => [source.ownerId, source.id, target.id]))
  return readRelations(ctx, sql`(r.owner_id, r.source_id, r.target_id) in (${keys}) and r.type = ${type}`)
}

/** @param ref SQL of the reference of the item itself */
const edgeOfItem = (ref: RawBuilder<string>) => sql`'id', r.id, 'relation_type', r.type,
    'source_ref', case when r.outgoing then ${ref} else e.ref end, 'source_title', case when r.outgoing then i.title else e.title end,
    'target_ref', case when r.outgoing then e.ref else ${ref} end, 'target_title', case when r.outgoing then e.title else i.title end`

function arrayOf(key: RawBuilder<string>): RawBuilder<unknown> {
  const edge = edgeOfItem(sql`${key} || '#' || i.number`)
  return sql`
    json_agg(case when r.created_at is null then json_build_object(${edge})
      else json_build_object(${edge}, 'created_at', ${iso('r.created_at')}) end
      order by case when r.outgoing then i.number else e.number end, case when r.outgoing then e.number else i.number end, r.type)`
}

const plainArray = renderFragment(arrayOf(sql.raw('p.key')))

/** json array of relations, to be selected `fromRelations`; null when there is none. One end of each is the item `i` of the project `p`. */
function relationsArray(ctx: ReadContext): RawBuilder<unknown> {
  return access(ctx).shared.length === 0 ? plainArray : arrayOf(keyColumn(ctx, 'p'))
}

/**
 * The relations of the item `i`, both ways, to items that the caller may see: each as the edge `r` and the other end `e`, which is looked
 * up by key for each link, whatever the planner knows of the tables.
 */
function fromRelations(ctx: ReadContext): RawBuilder<unknown> {
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
      select ${otherRef(ctx)} as ref, o.title, o.number ${fromOther(ctx, 'i.owner_id', sql`o.id = r.other_id`)} offset 0
    ) e`
}

/** Selects the relations of the item `i` as a json array; null when there is none. */
export function relationsOfItem(ctx: ReadContext): RawBuilder<unknown> {
  return sql`select ${relationsArray(ctx)} ${fromRelations(ctx)}`
}

/** Reads the relations of an item. @throws ToolError when the reference names no item */
export async function readRelationsOfItem(ctx: ReadContext, ref: string): Promise<RelationRow[]> {
  const { found } = await readWithItem<{ found: RelationRow[] | null }>(
    ctx,
    ref,
    sql`(${relationsOfItem(ctx)}) as found`,
  )
  return found ?? []
}

/** Selects the relations of the item `i` as a field of items. */
export function relationsField(ctx: ReadContext): RawBuilder<unknown> {
  return sql`select json_build_object('relations', ${relationsArray(ctx)}) ${fromRelations(ctx)}`
}

/** The stored relations of the item `i`, both ways, to items that the caller may see, as a json array; null when there is none. */
export function linksText(ctx: ReadContext): RawBuilder<unknown> {
  return sql`select json_agg(json_build_object('type', r.type, 'outgoing', r.outgoing, 'key', r.other_id, 'ref', e.ref, 'title', e.title)
    order by r.outgoing desc, r.type, e.number) ${fromRelations(ctx)} where r.type <> 'parent'`
}

/** Links pairs of items. @returns those that were not linked before */
export async function insertRelations(
  ctx: WriteContext,
  pairs: readonly Pair[],
  type: StoredType,
): Promise<readonly Ends[]> {
  if (pairs.length === 0) return []
  return ctx.db
    .insertInto('relations.relations')
    .values(
      pairs.map(({ source, target }) => ({
        owner_id: source.ownerId,
        id: uuid(),
        source_id: source.id,
        target_id: target.id,
        type,
        created_at: ctx.now,
      })),
    )
    .onConflict(conflict => conflict.columns(['owner_id', 'source_id', 'target_id', 'type']).doNothing())
    .returning(['source_id', 'target_id'])
    .execute()
}

/** Removes the links of a type between pairs of items. @returns those that were linked */
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
