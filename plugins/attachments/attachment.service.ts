import { ToolError, type ReadContext } from 'tasuki/plugin'
import { findAttachment } from './attachment.repository.ts'

/** Finds an attachment that the caller may see. @throws ToolError not_found */
export async function requireAttachment(ctx: ReadContext, id: string) {
  const found = await findAttachment(ctx, id)
  if (found) return found
  throw new ToolError('not_found', `There is no attachment ${id}.`, {
    field: 'attachment_id',
    hint: 'attachments_list shows the attachments of an item.',
  })
}

/** Finds an attachment whose upload is complete. @throws ToolError not_found, conflict */
export async function requireStored(ctx: ReadContext, id: string) {
  const found = await requireAttachment(ctx, id)
  if (found.attachment.status === 'stored') return found
  throw new ToolError('conflict', `The bytes of ${found.attachment.filename} have not come yet.`, {
    field: 'attachment_id',
    retryable: true,
    hint: 'They are sent by PUT to the upload_url that attachments_upload returned.',
  })
}
