import { defineTool } from 'tasuki/plugin'
import { requireAttachment } from '../attachment.service.ts'
import { attachmentId, attachmentSchema } from '../attachment.ts'

export const attachmentsGet = defineTool({
  name: 'attachments_get',
  class: 'R',
  title: 'Get attachment',
  summary: 'Reads metadata of an attachment; pending = no bytes yet.',
  rank: 710,
  input: { attachment_id: attachmentId },
  output: { attachment: attachmentSchema },
  async run(ctx, { attachment_id }) {
    const { attachment } = await requireAttachment(ctx, attachment_id)
    return { attachment }
  },
})
