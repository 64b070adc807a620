import {
  choice,
  iso,
  recordId,
  sql,
  ToolError,
  Type,
  type RawBuilder,
  type ReadContext,
  type Static,
} from 'tasuki/plugin'
import { keyColumn, visible } from '../projects/index.ts'

/** An attachment as tools return it. */
export const attachmentSchema = Type.Object({
  id: Type.String(),
  parent_kind: Type.String(),
  parent_ref: Type.Optional(Type.String({ description: 'Item that it hangs on.' })),
  parent_id: Type.Optional(Type.String()),
  filename: Type.String(),
  mime_type: Type.String(),
  size: Type.Integer({ description: 'Bytes.' }),
  status: choice(['pending', 'stored']),
  created_at: Type.String(),
})
export type AttachmentRecord = Static<typeof attachmentSchema>

/** `attachmentRecord` needs these, after `attachments.attachments a`. */
export const attachmentJoins = sql`
  left join items.items ai on ai.owner_id = a.owner_id and ai.id = a.item_id
  left join projects.projects ap on ap.owner_id = ai.owner_id and ap.id = ai.project_id`

/** The row `a` as one jsonb record. */
export const attachmentRecord = (
  ctx: ReadContext,
): RawBuilder<AttachmentRecord> => sql`jsonb_strip_nulls(jsonb_build_object(
  'id', a.id, 'parent_kind', a.parent_kind, 'parent_ref', ${keyColumn(ctx, 'ap')} || '#' || ai.number,
  'parent_id', case when a.parent_id is distinct from a.item_id then a.parent_id end,
  'filename', a.filename, 'mime_type', a.mime_type, 'size', a.size,
  'status', case when a.state = 'stored' then 'stored' else 'pending' end, 'created_at', ${iso('a.created_at')}))`

/** Files of a parent that are there, as a jsonb array in the order in which they came; null when there are none. */
export function attachmentsOf(ctx: ReadContext, parent: RawBuilder<boolean>): RawBuilder<AttachmentRecord[] | null> {
  return sql`(
    select jsonb_agg(${attachmentRecord(ctx)} order by a.id) from attachments.attachments a ${attachmentJoins}
    where ${parent} and a.state = 'stored')`
}

/** The `attachment_id` parameter. */
export const attachmentId = recordId('Attachment id.')

export interface AttachmentRow {
  readonly ownerId: string
  readonly attachment: AttachmentRecord
}

/** Finds an attachment that the caller may see, in one statement. @throws ToolError not_found */
export async function requireAttachment(ctx: ReadContext, id: string): Promise<AttachmentRow> {
  const { rows } = await sql<AttachmentRow>`
    select a.owner_id as "ownerId", ${attachmentRecord(ctx)} as attachment from attachments.attachments a ${attachmentJoins}
    where ${visible(ctx, 'a')} and a.id = ${id} and (a.state = 'stored' or a.expires_at > ${ctx.now})
  `.execute(ctx.db)
  if (rows[0]) return rows[0]
  throw new ToolError('not_found', `There is no attachment ${id}.`, {
    field: 'attachment_id',
    hint: 'attachments_list shows the attachments of an item.',
  })
}

/** Finds an attachment whose bytes are there. @throws ToolError not_found, conflict */
export async function requireStored(ctx: ReadContext, id: string): Promise<AttachmentRow> {
  const found = await requireAttachment(ctx, id)
  if (found.attachment.status === 'stored') return found
  throw new ToolError('conflict', `The bytes of ${found.attachment.filename} have not come yet.`, {
    field: 'attachment_id',
    retryable: true,
    hint: 'They are sent by PUT to the upload_url that attachments_upload returned.',
  })
}
