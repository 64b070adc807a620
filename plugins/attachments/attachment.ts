import { choice, recordId, ToolError, Type, type ReadContext, type Static } from 'tasuki/plugin'
import { findAttachment, type AttachmentRow } from './attachment.repository.ts'

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

/** The `attachment_id` parameter. */
export const attachmentId = recordId('Attachment id.')

/** Finds an attachment that the caller may see. @throws ToolError not_found */
export async function requireAttachment(ctx: ReadContext, id: string): Promise<AttachmentRow> {
  const found = await findAttachment(ctx, id)
  if (found) return found
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
