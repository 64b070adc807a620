import { contains, deleteWhere, idIs, isFreeName, iso, nameKey, renderFragment, sql, withNameKey } from 'tasuki/plugin'
import type { NewRow, OwnedKey, RawBuilder, ReadContext, Row, RowChanges, WriteContext } from 'tasuki/plugin'
import { keyIs, readWithProject, visible } from '../projects/index.ts'
import type { LabelRecord } from './label.ts'

/** Returns a label as one jsonb record. @param l the table name in the statement */
function recordOf(l: 'l' | 'labels'): RawBuilder<LabelRecord> {
  const of = (column: keyof Row<'labels.labels'>) => sql.ref(`${l}.${column}`)
  return renderFragment(sql`jsonb_strip_nulls(jsonb_build_object(
    'id', ${of('id')}, 'name', ${of('name')}, 'description', ${of('description')}, 'color_hex', ${of('color_hex')},
    'display_order', ${of('display_order')},
    'item_count', (select count(*)::int from labels.item_labels il where il.owner_id = ${of('owner_id')} and il.label_id = ${of('id')}),
    'created_at', ${iso(`${l}.created_at`)}, 'updated_at', ${iso(`${l}.updated_at`)}))`)
}
const labelRecord = recordOf('l')
/** An insert cannot have a table alias. */
const insertedRecord = recordOf('labels')

export interface LabelDemand {
  /** Also finds deleted labels that are still on items. */
  readonly archived?: boolean
  /** Blocks new label definitions in the project until the transaction ends. */
  readonly lockProject?: boolean
}

/** Finds a label by id or name with its project, which the caller may change. @throws ToolError not_found, ambiguous_ref, forbidden */
export function findLabel(ctx: ReadContext, key: string, id: string, { archived, lockProject }: LabelDemand) {
  const isNamed = idIs('l.id', id.toLowerCase())
  return readWithProject<{ readonly label: LabelRecord | null }>(
    ctx,
    key,
    sql`(select ${labelRecord} from labels.labels l
      where l.owner_id = p.owner_id and l.project_id = p.id and (${isNamed} or l.name_key = ${nameKey(id)})
        and ${archived ? sql.lit(true) : sql.raw('l.archived_at is null')}
      order by ${isNamed} desc limit 1) as label`,
    { write: true, lock: lockProject ? 'update' : undefined },
  )
}

/** Reads the labels of a project. @throws ToolError not_found, ambiguous_ref */
export async function readLabels(ctx: ReadContext, key: string): Promise<LabelRecord[]> {
  const { labels } = await readWithProject<{ readonly labels: LabelRecord[] | null }>(
    ctx,
    key,
    sql`(select jsonb_agg(${labelRecord} order by l.display_order, l.id) from labels.labels l
      where l.owner_id = p.owner_id and l.project_id = p.id and l.archived_at is null) as labels`,
  )
  return labels ?? []
}

/** Reads the names of the first labels of a project. */
export async function firstNames(ctx: ReadContext, { ownerId, id }: OwnedKey, most: number): Promise<string[]> {
  const rows = await ctx.db
    .selectFrom('labels.labels')
    .select('name')
    .where(({ and }) => and({ owner_id: ownerId, project_id: id }))
    .where('archived_at', 'is', null)
    .orderBy('display_order')
    .orderBy('id')
    .limit(most)
    .execute()
  return rows.map(({ name }) => name)
}

/** Finds the label with a name, archived or not. */
export function findByName(ctx: ReadContext, { ownerId, id }: OwnedKey, name: string) {
  return ctx.db
    .selectFrom('labels.labels')
    .select(['id', 'name', 'archived_at'])
    .where(({ and }) => and({ owner_id: ownerId, project_id: id }))
    .where('name_key', '=', nameKey(name))
    .executeTakeFirst()
}

/** Finds names of labels that contain a text, in one project if its key is given. */
export async function matchingNames(ctx: ReadContext, text: string, project: string | undefined, most: number) {
  const { rows } = await sql<{ name: string }>`
    select min(l.name) as name from labels.labels l
    join projects.projects p on p.owner_id = l.owner_id and p.id = l.project_id
    where ${visible(ctx, 'l')} and ${project === undefined ? sql.lit(true) : keyIs(ctx, project)} and p.archived_at is null and l.archived_at is null
      and l.name_key like ${contains(nameKey(text))}
    group by l.name_key order by min(l.display_order), l.name_key limit ${sql.lit(most)}
  `.execute(ctx.db)
  return rows.map(({ name }) => name)
}

type NewLabel = Pick<NewRow<'labels.labels'>, 'id' | 'name' | 'description' | 'color_hex'>

/**
 * Inserts a label after the others of its project. A deleted label that is still on items is restored.
 * @returns undefined if the name exists
 */
export async function insertLabel(ctx: WriteContext, { ownerId, id: projectId }: OwnedKey, label: NewLabel) {
  const row = await ctx.db
    .insertInto('labels.labels')
    .values(({ selectFrom }) => ({
      ...label,
      owner_id: ownerId,
      project_id: projectId,
      name_key: nameKey(label.name),
      display_order: selectFrom('labels.labels as o')
        .where(({ and }) => and({ 'o.owner_id': ownerId, 'o.project_id': projectId }))
        .select(({ eb, fn, lit }) => eb(fn.coalesce(fn.max('o.display_order'), lit(0)), '+', lit(1)).as('next')),
      created_at: ctx.now,
      updated_at: ctx.now,
    }))
    .onConflict(conflict =>
      conflict
        .columns(['owner_id', 'project_id', 'name_key'])
        .doUpdateSet(({ ref }) => ({
          name: ref('excluded.name'),
          description: ref('excluded.description'),
          color_hex: ref('excluded.color_hex'),
          archived_at: null,
          updated_at: ref('excluded.updated_at'),
        }))
        .where('labels.labels.archived_at', 'is not', null),
    )
    .returning(insertedRecord.as('label'))
    .executeTakeFirst()
  return row?.label
}

/**
 * Updates only the changed columns of a label, so that concurrent changes of different fields do not overwrite each other.
 * @returns undefined if the name exists
 */
export async function updateLabel(
  ctx: WriteContext,
  { ownerId }: OwnedKey,
  { id, name }: LabelRecord,
  changes: Pick<RowChanges<'labels.labels'>, 'name' | 'description' | 'color_hex'>,
): Promise<LabelRecord | undefined> {
  const row = await ctx.db
    .updateTable('labels.labels as l')
    .set({ ...withNameKey(changes), updated_at: ctx.now })
    .where(({ and }) => and({ 'l.owner_id': ownerId, 'l.id': id }))
    .where(isFreeName('labels.labels', 'l', ['owner_id', 'project_id'], nameKey(changes.name ?? name)))
    .returning(labelRecord.as('label'))
    .executeTakeFirst()
  return row?.label
}

/** Archives a label: items reference the definition, so it stays, but is no longer listed. */
export async function archiveLabel(ctx: WriteContext, { ownerId }: OwnedKey, id: string): Promise<void> {
  await ctx.db
    .updateTable('labels.labels')
    .set(({ fn, ref, val }) => ({
      archived_at: fn.coalesce(ref('archived_at'), val(ctx.now.toISOString())),
      updated_at: ctx.now,
    }))
    .where(({ and }) => and({ owner_id: ownerId, id }))
    .execute()
}

export async function deleteLabel(ctx: WriteContext, { ownerId }: OwnedKey, id: string): Promise<void> {
  await deleteWhere(ctx.db, 'labels.labels', { owner_id: ownerId, id })
}
