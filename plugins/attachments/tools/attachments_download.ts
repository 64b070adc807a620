import { buffer } from 'node:stream/consumers'
import { Content, defineTool, ToolError, Type } from 'tasuki/plugin'
import { attachmentId, attachmentSchema, requireAttachment } from '../attachment.ts'
import { minutesFrom, signedLink } from '../links.ts'
import { SAFE_IMAGES } from '../media-type.ts'
import { DOWNLOAD_MINUTES, settings } from '../settings.ts'
import { storageKey, storageOf } from '../storage/choose.ts'
import { StorageFailure } from '../storage/storage.ts'

export const attachmentsDownload = defineTool({
  name: 'attachments_download',
  class: 'R',
  title: 'Download attachment',
  summary: 'Gives a small image itself, anything else as a short-lived download_url.',
  rank: 243,
  input: Type.Object({ attachment_id: attachmentId }, { additionalProperties: false }),
  output: Type.Object({
    attachment: attachmentSchema,
    download_url: Type.Optional(Type.String()),
    expires_at: Type.Optional(Type.String()),
  }),
  async run(ctx, { attachment_id }) {
    const { ownerId, attachment } = await requireAttachment(ctx, attachment_id)
    if (attachment.status === 'pending') {
      throw new ToolError('conflict', `The bytes of ${attachment.filename} have not come yet.`, {
        field: 'attachment_id',
        retryable: true,
        hint: 'They are sent by PUT to the upload_url that attachments_upload returned.',
      })
    }
    const { id, mime_type: mimeType, size } = attachment
    const file = { ownerId, id }
    if (SAFE_IMAGES.includes(mimeType) && size <= ctx.config(settings).inline_image_bytes) {
      const bytes = await storageOf(ctx).get(storageKey(file))
      if (!bytes) throw new StorageFailure(new Error(`${storageKey(file)} is missing`))
      return new Content([{ type: 'image', data: (await buffer(bytes)).toString('base64'), mimeType }], { attachment })
    }
    const expires = minutesFrom(ctx, DOWNLOAD_MINUTES)
    const url = signedLink(ctx.deployment, 'download', file, expires)
    return { attachment, download_url: url, expires_at: expires.toISOString() }
  },
})
