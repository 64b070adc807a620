import { iso, recordset, sql, type RawBuilder, type ReadContext, type WriteContext } from 'tasuki/plugin'
import { readWithItem } from '../items/index.ts'
import { keyColumn, visible } from '../projects/index.ts'
import type { AttachmentRecord } from './attachment.ts'
import type { FileKey } from './links.ts'

/** `attachmentRecord` needs these joins to the alias `a`. */
export const attachmentJoins: RawBuilder<unknown> = sql`
  left join items.items ai on ai.owner_id = a.owner_id and ai.id = a.item_id
  left join projects.projects ap on ap.owner_id = ai.owner_id and ap.id = ai.project_id`
const withItem = sql`attachments.attachments a ${attachmentJoins}`

/** The row `a` as one jsonb record. */
export const attachmentRecord = (
  ctx: ReadContext,
): RawBuilder<AttachmentRecord> => sql`jsonb_strip_nulls(jsonb_build_object(
  'id', a.id, 'parent_kind', a.parent_kind, 'parent_ref', ${keyColumn(ctx, 'ap')} || '#' || ai.number,
  'parent_id', case when a.parent_id is distinct from a.item_id then a.parent_id end,
  'filename', a.filename, 'mime_type', a.mime_type, 'size', a.size,
  'status', case when a.state = 'stored' then 'stored' else 'pending' end, 'created_at', ${iso('a.created_at')}))`

const storedOfItem = sql`a.owner_id = i.owner_id and a.parent_id = i.id and a.parent_kind = 'item' and a.state = 'stored'`

/** The stored files of the item `i` as a jsonb array, oldest first; null when there are none. */
export function attachmentsOfItem(ctx: ReadContext): RawBuilder<AttachmentRecord[] | null> {
  return sql`(select jsonb_agg(${attachmentRecord(ctx)} order by a.id) from ${withItem} where ${storedOfItem})`
}

/** Reads the stored files of the item that `parent_ref` names, oldest first. */
export async function readAttachmentsOfItem(ctx: ReadContext, ref: string): Promise<AttachmentRecord[]> {
  const columns = sql`${attachmentsOfItem(ctx)} as attachments`
  const { attachments } = await readWithItem<{ attachments: AttachmentRecord[] | null }>(
    ctx,
    ref,
    columns,
    'parent_ref',
  )
  return attachments ?? []
}

/** Names, types and sizes of all stored files of the item `i` and of what is said about it, as a json array; null when there are none. */
export const filesOfItem: RawBuilder<unknown> = sql`select json_agg(json_build_object('filename', a.filename, 'mime_type', a.mime_type,
  'size', a.size) order by a.id) from attachments.attachments a where a.owner_id = i.owner_id and a.item_id = i.id and a.state = 'stored'`

/** How many stored files the item `i` has. */
export const attachmentCount: RawBuilder<unknown> = sql`select json_build_object('attachment_count', count(*)::int) from attachments.attachments a where ${storedOfItem}`

/** The item `i` has a stored file. */
export const hasAttachment: RawBuilder<boolean> = sql`exists (select from attachments.attachments a where ${storedOfItem})`

export interface AttachmentRow {
  readonly ownerId: string
  readonly attachment: AttachmentRecord
}

/** Finds an attachment that the caller may see. */
export async function findAttachment(ctx: ReadContext, id: string): Promise<AttachmentRow | undefined> {
  const { rows } = await sql<AttachmentRow>`
    select a.owner_id as "ownerId", ${attachmentRecord(ctx)} as attachment from ${withItem}
    where ${visible(ctx, 'a')} and a.id = ${id} and (a.state = 'stored' or a.expires_at > ${ctx.now})
  `.execute(ctx.db)
  return rows[0]
}

/** Reads the stored files of a parent that the caller may see, oldest first. */
export async function readAttachments(ctx: ReadContext, kind: string, parentId: string): Promise<AttachmentRecord[]> {
  const { rows } = await sql<{ attachment: AttachmentRecord }>`
    select ${attachmentRecord(ctx)} as attachment from ${withItem}
    where ${visible(ctx, 'a')} and a.parent_id = ${parentId} and a.parent_kind = ${kind} and a.state = 'stored'
    order by a.id
  `.execute(ctx.db)
  return rows.map(({ attachment }) => attachment)
}

/** Finds a stored file that the caller may see, to send it. */
export function findStored(ctx: ReadContext, { ownerId, id }: FileKey) {
  return ctx.db
    .selectFrom('attachments.attachments as a')
    .select(['a.filename', 'a.mime_type as type', 'a.size'])
    .where('a.owner_id', '=', ownerId)
    .where('a.id', '=', id)
    .where('a.state', '=', 'stored')
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
  await ctx.db
    .updateTable('attachments.attachments')
    .set({ project_id: projectId })
    .where('owner_id', '=', ownerId)
    .where('item_id', 'in', itemIds)
    .execute()
}

/** Deletes uploads that did not come in time. */
export async function deleteExpired(ctx: WriteContext): Promise<void> {
  await ctx.db.deleteFrom('attachments.attachments').where('expires_at', '<=', ctx.now.toISOString()).execute()
}

/** Deletes the attachments of a kind whose parent is gone. @param exists condition on the row `a` */
export async function deleteOrphans(ctx: WriteContext, kind: string, exists: RawBuilder<boolean>): Promise<void> {
  await ctx.db
    .deleteFrom('attachments.attachments as a')
    .where('a.parent_kind', '=', kind)
    .where(({ not }) => not(exists))
    .execute()
}

interface StoredFile {
  readonly key: string
  readonly owner_id: string
  readonly id: string
}

/** Finds files without a row, of users of this database, in the order of their owners. */
export async function findUnknown(ctx: ReadContext, files: readonly StoredFile[]) {
  return ctx.db
    .selectFrom(recordset('f', { key: 'text', owner_id: 'uuid', id: 'uuid' }, files))
    .select(['f.key', 'f.owner_id'])
    .where(({ exists, selectFrom }) => exists(selectFrom('core.users as u').whereRef('u.id', '=', 'f.owner_id')))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('attachments.attachments as a')
            .whereRef('a.owner_id', '=', 'f.owner_id')
            .whereRef('a.id', '=', 'f.id'),
        ),
      ),
    )
    .orderBy('f.owner_id')
    .orderBy('f.key')
    .execute()
}

export async function readUserIds({ db }: Pick<ReadContext, 'db'>): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('core.users').select('id').execute()
  return new Set(rows.map(({ id }) => id))
}

/** Reads stored files in the order of their keys, of one user or of all, from the one after `after`. */
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

/** Counts the stored files; 0 when the table is gone. */
export async function countStored({ db }: Pick<ReadContext, 'db'>): Promise<number> {
  const { rows: tables } = await sql<{ present: boolean }>`
    select to_regclass('attachments.attachments') is not null as present
  `.execute(db)
  if (!tables[0]!.present) return 0
  const { files } = await db
    .selectFrom('attachments.attachments')
    .select(({ fn }) => fn.countAll<string>().as('files'))
    .where('state', '=', 'stored')
    .executeTakeFirstOrThrow()
  return Number(files)
}
