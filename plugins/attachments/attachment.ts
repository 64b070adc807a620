import { choice, recordId, Type, type Static } from 'tasuki/plugin'

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
