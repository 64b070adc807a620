import {
  exists,
  expressions,
  iso,
  negate,
  recordset,
  refersTo,
  rowExists,
  sql,
  tableExists,
  updateWhere,
} from 'tasuki/plugin'
import type { AliasableExpression, Condition, Expression, RawBuilder, ReadContext, WriteContext } from 'tasuki/plugin'
import { readListWithItem } from '../items/index.ts'
import { refColumn, visible } from '../projects/index.ts'
import type { AttachmentRecord } from './attachment.ts'
import type { FileKey } from './links.ts'

/** The joins that `attachmentRecord` needs, from the alias `a`. */
export const attachmentJoins: Expression<unknown> = sql`
  left join items.items ai on ai.owner_id = a.owner_id and ai.id = a.item_id
  left join projects.projects ap on ap.owner_id = ai.owner_id and ap.id = ai.project_id`
/** Selects attachments `a` with the joins of `attachmentRecord`. */
const selectAttachments = ({ db }: Pick<ReadContext, 'db'>) =>
  db
    .selectFrom('attachments.attachments as a')
    .leftJoin('items.items as ai', join =>
      join.onRef('ai.owner_id', '=', 'a.owner_id').onRef('ai.id', '=', 'a.item_id'),
    )
    .leftJoin('projects.projects as ap', join =>
      join.onRef('ap.owner_id', '=', 'ai.owner_id').onRef('ap.id', '=', 'ai.project_id'),
    )

/** The row `a` as one jsonb record. */
export const attachmentRecord = (
  ctx: ReadContext,
): RawBuilder<AttachmentRecord> => sql`jsonb_strip_nulls(jsonb_build_object(
  'id', a.id, 'parent_kind', a.parent_kind, 'parent_ref', ${refColumn(ctx, 'ap', 'ai')},
  'parent_id', case when a.parent_id is distinct from a.item_id then a.parent_id end,
  'filename', a.filename, 'mime_type', a.mime_type, 'size', a.size,
  'status', case when a.state = 'stored' then 'stored' else 'pending' end, 'created_at', ${iso('a.created_at')}))`

const attachment = expressions<{ a: 'attachments.attachments' }>()
/** Condition that the file `a` is stored and belongs to the row of an alias. */
const isOf = (kind: string, alias: string) =>
  attachment.and([
    refersTo('a.parent_id', alias),
    attachment('a.parent_kind', '=', sql.lit(kind)),
    attachment('a.state', '=', sql.lit('stored')),
  ])
const filesOf = (kind: string, alias: string) =>
  attachment.selectFrom('attachments.attachments as a').where(isOf(kind, alias))
const ofItem = filesOf('item', 'i')

/** Returns SQL for the number of stored files of the row of an alias, whose table has parents of that kind. */
export function fileCount(kind: string, alias: string): AliasableExpression<number> {
  const files = filesOf(kind, alias)
  return files.select(({ cast, fn }) => cast<number>(fn.countAll(), 'integer').as('count')).$asScalar()
}

/** Returns SQL for the stored files of the item `i` as a jsonb array, oldest first; null for none. */
export function attachmentsOfItem(ctx: ReadContext): Expression<unknown> {
  return selectAttachments(ctx)
    .where(isOf('item', 'i'))
    .select(({ fn }) =>
      fn
        .agg('jsonb_agg', [attachmentRecord(ctx)])
        .orderBy('a.id')
        .as('attachments'),
    )
}

/** Reads the stored files of the item that `parent_ref` names, oldest first. */
export async function readAttachmentsOfItem(ctx: ReadContext, ref: string): Promise<AttachmentRecord[]> {
  return readListWithItem<AttachmentRecord>(ctx, ref, attachmentsOfItem(ctx), 'parent_ref')
}

/** Names, types and sizes of all stored files of the item `i` and of its discussions, as a json array; null for none. */
export const filesOfItem: Expression<unknown> = attachment
  .selectFrom('attachments.attachments as a')
  .select(
    sql`json_agg(json_build_object('filename', a.filename, 'mime_type', a.mime_type, 'size', a.size) order by a.id)`.as(
      'files',
    ),
  )
  .where(refersTo('a.item_id', 'i'))
  .where('a.state', '=', sql.lit('stored'))

/** The number of stored files of the item `i`. */
export const attachmentCount: Expression<unknown> = ofItem.select(
  sql`json_build_object('attachment_count', count(*)::int)`.as('count'),
)

/** Condition that the item `i` has a stored file. */
export const hasAttachment: Condition = exists(ofItem)

/** Finds an attachment that the caller may see. */
export async function findAttachment(ctx: ReadContext, id: string) {
  return selectAttachments(ctx)
    .select(['a.owner_id as ownerId', attachmentRecord(ctx).as('attachment')])
    .where(visible(ctx, 'a'))
    .where('a.id', '=', id)
    .where(({ or, eb }) => or([eb('a.state', '=', 'stored'), eb('a.expires_at', '>', ctx.now.toISOString())]))
    .executeTakeFirst()
}

/** Reads the stored files of a parent that the caller may see, oldest first. */
export async function readAttachments(ctx: ReadContext, kind: string, parentId: string): Promise<AttachmentRecord[]> {
  const rows = await selectAttachments(ctx)
    .select(attachmentRecord(ctx).as('attachment'))
    .where(visible(ctx, 'a'))
    .where(({ and }) => and({ 'a.parent_id': parentId, 'a.parent_kind': kind, 'a.state': 'stored' }))
    .orderBy('a.id')
    .execute()
  return rows.map(({ attachment }) => attachment)
}

/** Finds a stored file for a download, if the caller may see it. */
export function findStored(ctx: ReadContext, { ownerId, id }: FileKey) {
  return ctx.db
    .selectFrom('attachments.attachments as a')
    .select(['a.filename', 'a.mime_type as type', 'a.size'])
    .where(({ and }) => and({ 'a.owner_id': ownerId, 'a.id': id, 'a.state': 'stored' }))
    .where(visible(ctx, 'a'))
    .executeTakeFirst()
}

/** Moves the files of items, and of their discussions, to a project. */
export async function moveAttachments(
  ctx: WriteContext,
  ownerId: string,
  itemIds: readonly string[],
  projectId: string,
): Promise<void> {
  await updateWhere(
    ctx.db,
    'attachments.attachments',
    { owner_id: ownerId, item_id: itemIds },
    { project_id: projectId },
  )
}

/** Deletes the files of a deleted parent; the sweep removes their bytes. @returns the number of stored files */
export async function deleteFilesOf(ctx: WriteContext, kind: string, { ownerId, id }: FileKey): Promise<number> {
  const rows = await ctx.db
    .deleteFrom('attachments.attachments')
    .where(({ and }) => and({ owner_id: ownerId, parent_id: id, parent_kind: kind }))
    .returning('state')
    .execute()
  return rows.filter(({ state }) => state === 'stored').length
}

/** Deletes a stored file of an item, as `deleteFilesOf`. @returns its name; null if there is none */
export async function deleteFile(ctx: WriteContext, item: FileKey, id: string): Promise<string | null> {
  const row = await ctx.db
    .deleteFrom('attachments.attachments')
    .where(({ and }) => and({ owner_id: item.ownerId, id, parent_id: item.id, parent_kind: 'item', state: 'stored' }))
    .returning('filename')
    .executeTakeFirst()
  return row?.filename ?? null
}

/** Deletes uploads that expired before their bytes arrived. */
export async function deleteExpired(ctx: WriteContext): Promise<void> {
  await ctx.db.deleteFrom('attachments.attachments').where('expires_at', '<=', ctx.now.toISOString()).execute()
}

/** Deletes the attachments of a kind whose parent no longer exists. @param exists condition on the row `a` */
export async function deleteOrphans(ctx: WriteContext, kind: string, exists: Condition): Promise<void> {
  await ctx.db
    .deleteFrom('attachments.attachments as a')
    .where('a.parent_kind', '=', kind)
    .where(({ not }) => not(exists))
    .execute()
}

/** Finds files without a row that belong to users of this database, ordered by owner. */
export async function findFilesWithoutRow(
  ctx: ReadContext,
  files: readonly Readonly<Record<'key' | 'owner_id' | 'id', string>>[],
) {
  return ctx.db
    .selectFrom(recordset('f', { key: 'text', owner_id: 'uuid', id: 'uuid' }, files))
    .select(['f.key', 'f.owner_id'])
    .where(rowExists('core.users', { id: 'f.owner_id' }))
    .where(negate(rowExists('attachments.attachments', { owner_id: 'f.owner_id', id: 'f.id' })))
    .orderBy('f.owner_id')
    .orderBy('f.key')
    .execute()
}

export async function readUserIds({ db }: Pick<ReadContext, 'db'>): Promise<ReadonlySet<string>> {
  return new Set((await db.selectFrom('core.users').select('id').execute()).map(({ id }) => id))
}

/** Reads a page of stored files in key order, of one user or of all, starting after `after`. */
export function readStoredPage(db: ReadContext['db'], ownerId: string | null, after: FileKey | null, limit: number) {
  return db
    .selectFrom('attachments.attachments')
    .select(['owner_id as ownerId', 'id', 'size'])
    .where('state', '=', 'stored')
    .$if(ownerId !== null, query => query.where('owner_id', '=', ownerId))
    .$if(after !== null, query =>
      query.where(({ eb, refTuple, tuple }) => eb(refTuple('owner_id', 'id'), '>', tuple(after!.ownerId, after!.id))),
    )
    .orderBy('owner_id')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Counts the stored files; 0 if the table does not exist. */
export async function countStored({ db }: Pick<ReadContext, 'db'>): Promise<number> {
  if (!(await tableExists(db, 'attachments.attachments'))) return 0
  const { files } = await db
    .selectFrom('attachments.attachments')
    .select(({ fn }) => fn.countAll<string>().as('files'))
    .where('state', '=', 'stored')
    .executeTakeFirstOrThrow()
  return Number(files)
}
