import { defineTool, pageOffset, Type } from 'tasuki/plugin'
import { attachmentSchema } from '../attachment.ts'
import { listAttachments, parentParams, restrictKinds } from '../parents.ts'

const { thread_id: _thread, ...listed } = parentParams
const Input = Type.Object({ ...listed, offset: pageOffset })

export const attachmentsList = defineTool({
  name: 'attachments_list',
  class: 'R',
  title: 'List attachments',
  summary: 'Lists attached files.',
  rank: 690,
  rows: 'attachments',
  input: all => restrictKinds(Input, all),
  output: { attachments: Type.Array(attachmentSchema) },
  async run(ctx, input) {
    return { attachments: (await listAttachments(ctx, input)).slice(input.offset) }
  },
})
