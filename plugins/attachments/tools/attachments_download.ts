import { buffer } from 'node:stream/consumers'
import { Content, defineTool, Type } from 'tasuki/plugin'
import { requireStored } from '../attachment.service.ts'
import { attachmentId, attachmentSchema } from '../attachment.ts'
import { downloadLink } from '../download-link.ts'
import { SAFE_IMAGES } from '../media-type.ts'
import { settings } from '../settings.ts'
import { storageKey, storageOf } from '../storage/choose.ts'
import { StorageFailure } from '../storage/storage.ts'

export const attachmentsDownload = defineTool({
  name: 'attachments_download',
  class: 'R',
  title: 'Download attachment',
  summary: 'Gives a small image itself, anything else as a short-lived download_url.',
  rank: 720,
  input: { attachment_id: attachmentId },
  output: {
    attachment: attachmentSchema,
    download_url: Type.Optional(Type.String()),
    expires_at: Type.Optional(Type.String()),
  },
  async run(ctx, { attachment_id }) {
    const { ownerId, attachment } = await requireStored(ctx, attachment_id)
    const { id, mime_type: mimeType, size } = attachment
    const file = { ownerId, id }
    if (SAFE_IMAGES.includes(mimeType) && size <= ctx.config(settings).inline_image_bytes) {
      const bytes = await storageOf(ctx).get(storageKey(file))
      if (!bytes) throw new StorageFailure(new Error(`${storageKey(file)} is missing`))
      return new Content([{ type: 'image', data: (await buffer(bytes)).toString('base64'), mimeType }], { attachment })
    }
    const { url, expiresAt } = downloadLink(ctx, file)
    return { attachment, download_url: url, expires_at: expiresAt.toISOString() }
  },
})
