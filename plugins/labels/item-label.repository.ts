import { deleteRecords, exists, expressions, isIn, recordset, refersTo, sql } from 'tasuki/plugin'
import type { Condition, Expression, ReadContext, Row, WriteContext } from 'tasuki/plugin'
import { copyRows, hasRowIn, type ItemCopy } from '../items/index.ts'
import { isOfVisibleOwner } from '../projects/index.ts'

type Label = Row<'labels.labels'>

const ofItem = expressions<{ i: 'items.items' }>()
  .selectFrom('labels.item_labels as il')
  .innerJoin('labels.labels as l', join =>
    join.onRef('l.owner_id', '=', 'il.owner_id').onRef('l.id', '=', 'il.label_id'),
  )
  .where(refersTo('il.item_id', 'i'))
const names = sql<string[]>`jsonb_agg(l.name order by l.display_order, l.id)`

/** The labels of the item `i` as one JSON object. */
export const labelsField: Expression<unknown> = ofItem.select(sql`json_build_object('labels', ${names})`.as('labels'))
/** Names of the labels of the item `i` as one value; null for none. */
export const labelsText = ofItem.select(names.as('names'))

/** Condition that the item `i` has a label. */
export const hasLabel = hasRowIn('labels.item_labels')

/** Returns the condition that the item `i` has one of these labels. */
export function hasLabelOf(keys: readonly string[]): Condition {
  return exists(ofItem.where('l.name_key', 'in', keys))
}

/** Selects the items whose labels match. */
export function itemsWithLabel(ctx: ReadContext, mayMatch: (column: string) => Condition): Expression<unknown> {
  return sql`
    select il.item_id from labels.labels l join labels.item_labels il on il.owner_id = l.owner_id and il.label_id = l.id
    where ${isOfVisibleOwner(ctx, 'l')} and ${mayMatch('l.name')}`
}

/** A label definition that a call concerns: named in it, or on one of its items. */
export interface KnownLabel {
  readonly id: string
  readonly projectId: string
  readonly name: string
  readonly key: string
  readonly archived: boolean
  /** The items of the call that have the label. */
  readonly items: readonly string[]
}

/** Reads the labels of projects that are named or on one of the items. @param ownerIds the owners of `projectIds`; at least one */
export async function readKnownLabels(
  ctx: ReadContext,
  { ownerIds, projectIds, itemIds, keys }: Readonly<Record<'ownerIds' | 'projectIds' | 'itemIds' | 'keys', string[]>>,
): Promise<readonly KnownLabel[]> {
  const of = sql.join(ownerIds)
  const { rows } = await sql<KnownLabel>`
    with links as (
      select o.label_id, o.item_id from labels.item_labels o where o.owner_id in (${of}) and ${isIn('o.item_id', itemIds)})
    select l.id, l.project_id as "projectId", l.name, l.name_key as key, l.archived_at is not null as archived,
      coalesce((select jsonb_agg(k.item_id) from links k where k.label_id = l.id), '[]') as items
    from labels.labels l
    where l.owner_id in (${of}) and l.project_id in (${sql.join(projectIds)})
      and (l.id in (select k.label_id from links k) or ${isIn('l.name_key', keys)})
    order by l.display_order, l.id
  `.execute(ctx.db)
  return rows
}

/** One label on one item. */
export type ItemLabel = Row<'labels.item_labels'>

/** Removes labels from items. */
export async function deleteItemLabels(ctx: WriteContext, links: readonly ItemLabel[]): Promise<void> {
  await deleteRecords(ctx.db, 'labels.item_labels', ['owner_id', 'item_id', 'label_id'], links)
}

export type WantedLabel = Pick<ItemLabel, 'owner_id' | 'item_id'> & Pick<Label, 'project_id' | 'name_key'>
export interface NewDefinition extends Pick<Label, 'owner_id' | 'id' | 'project_id' | 'name' | 'name_key'> {
  /** From 1, after the project's existing labels. */
  readonly position: number
}

/** Adds labels to items by key; defines or restores missing labels first. */
export async function insertItemLabels(
  ctx: WriteContext,
  links: readonly WantedLabel[],
  definitions: readonly NewDefinition[],
): Promise<void> {
  const placed = recordset(
    'n',
    { owner_id: 'uuid', id: 'uuid', project_id: 'uuid', name: 'text', name_key: 'text', position: 'int' },
    definitions,
  )
  const wanted = recordset('w', { owner_id: 'uuid', item_id: 'uuid', project_id: 'uuid', name_key: 'text' }, links)
  // Inserted in key order, so that concurrent calls that define the same labels wait instead of deadlocking.
  await sql`
    with defined as (
      insert into labels.labels as l (owner_id, id, project_id, name, name_key, display_order, created_at, updated_at)
      select n.owner_id, n.id, n.project_id, n.name, n.name_key, n.position + coalesce((
        select max(o.display_order) from labels.labels o where o.owner_id = n.owner_id and o.project_id = n.project_id), 0), ${ctx.now}, ${ctx.now}
      from ${placed}
      order by n.project_id, n.name_key collate "C"
      on conflict (owner_id, project_id, name_key) do update set archived_at = null
      returning l.owner_id, l.id, l.project_id, l.name_key
    ), known as (
      select owner_id, id, project_id, name_key from defined
      union all
      select owner_id, id, project_id, name_key from labels.labels
    )
    insert into labels.item_labels (owner_id, item_id, label_id)
    select w.owner_id, w.item_id, k.id
    from ${wanted}
    join known k on k.owner_id = w.owner_id and k.project_id = w.project_id and k.name_key = w.name_key
    on conflict do nothing
  `.execute(ctx.db)
}

/** Copies labels between items. */
export function copyLabels(ctx: WriteContext, copies: readonly ItemCopy[]): Promise<void> {
  return copyRows(ctx, 'labels.item_labels', ['label_id'], copies)
}

/** A label of a moving item; `there` is the label with the same name in the new project, null if not yet defined. */
export type CarriedLabel = Awaited<ReturnType<typeof readLabelsToMove>>[number]

/** Reads the labels of items with the matching labels of another project of the owner. */
export function readLabelsToMove(ctx: ReadContext, ownerId: string, itemIds: readonly string[], projectId: string) {
  return ctx.db
    .selectFrom('labels.item_labels as il')
    .innerJoin('labels.labels as l', join =>
      join.onRef('l.owner_id', '=', 'il.owner_id').onRef('l.id', '=', 'il.label_id'),
    )
    .leftJoin('labels.labels as t', join =>
      join
        .onRef('t.owner_id', '=', 'l.owner_id')
        .on('t.project_id', '=', projectId)
        .onRef('t.name_key', '=', 'l.name_key'),
    )
    .select(['il.item_id as itemId', 'l.id as labelId', 'l.name', 'l.name_key as key', 't.name as there'])
    .where('il.owner_id', '=', ownerId)
    .where('il.item_id', 'in', itemIds)
    .orderBy('l.display_order')
    .orderBy('l.id')
    .execute()
}

export interface CarriedDefinition {
  readonly id: string
  /** Id of the label to copy. */
  readonly like: string
  /** From 1, after the project's existing labels. */
  readonly position: number
}

/** Replaces labels on items by those of another project; defines or restores missing labels first. */
export async function moveItemLabels(
  ctx: WriteContext,
  { ownerId, projectId }: { readonly ownerId: string; readonly projectId: string },
  carried: readonly Omit<ItemLabel, 'owner_id'>[],
  definitions: readonly CarriedDefinition[],
): Promise<void> {
  const links = recordset('k', { item_id: 'uuid', label_id: 'uuid' }, carried)
  const wanted = recordset('n', { like: 'uuid', id: 'uuid', position: 'int' }, definitions)
  // In key order, so that concurrent calls that define the same labels wait instead of deadlocking.
  await sql`
    with links as (
      select k.item_id, k.label_id, l.name_key from ${links}
      join labels.labels l on l.owner_id = ${ownerId} and l.id = k.label_id
    ), defined as (
      insert into labels.labels as d (owner_id, id, project_id, name, name_key, description, color_hex, display_order, created_at, updated_at)
      select l.owner_id, n.id, ${projectId}::uuid, l.name, l.name_key, l.description, l.color_hex, n.position + coalesce((
        select max(o.display_order) from labels.labels o where o.owner_id = ${ownerId} and o.project_id = ${projectId}), 0), ${ctx.now}, ${ctx.now}
      from ${wanted}
      join labels.labels l on l.owner_id = ${ownerId} and l.id = n."like"
      order by l.name_key collate "C"
      on conflict (owner_id, project_id, name_key) do update set archived_at = null
      returning d.id, d.name_key
    ), taken as (
      delete from labels.item_labels il using links k where il.owner_id = ${ownerId} and il.item_id = k.item_id and il.label_id = k.label_id
    )
    insert into labels.item_labels (owner_id, item_id, label_id)
    select ${ownerId}::uuid, k.item_id, d.id from links k join defined d on d.name_key = k.name_key
    on conflict do nothing
  `.execute(ctx.db)
}

/** Removes a label from all items. @returns the items with their former labels */
export function stripLabel(ctx: WriteContext, ownerId: string, labelId: string) {
  return ctx.db
    .with('stripped', db =>
      db
        .deleteFrom('labels.item_labels')
        .where(({ and }) => and({ owner_id: ownerId, label_id: labelId }))
        .returning(['owner_id', 'item_id']),
    )
    .selectFrom('stripped')
    .innerJoin('items.items as i', join =>
      join.onRef('i.owner_id', '=', 'stripped.owner_id').onRef('i.id', '=', 'stripped.item_id'),
    )
    .select(['i.id', 'i.number', 'i.title', labelsText.$asScalar().$notNull().as('labels')])
    .execute()
}
