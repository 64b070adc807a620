import { Type } from 'tasuki/plugin'
import { itemFields, itemHas, itemMoves, itemSections } from '../items/points.ts'
import { attachmentCount, attachmentsOfItem, hasAttachment, moveAttachments } from './attachment.repository.ts'
import { attachmentSchema } from './attachment.ts'

/** The members of an item's project see its files and those of its discussions. */
const followProject = itemMoves(() => async (ctx, drafts) => {
  const { ownerId, project } = drafts[0]!
  const itemIds = drafts.map(({ id }) => id)
  await moveAttachments(ctx, ownerId, itemIds, project.id)
})

export const onItems = [
  itemFields({
    when: 'include_attachments',
    summary: 'attachment_count',
    fields: { attachment_count: Type.Integer() },
    sql: attachmentCount,
  }),
  followProject,
  itemSections({ name: 'attachments', schema: Type.Array(attachmentSchema), sql: attachmentsOfItem }),
  itemHas({ value: 'attachment', summary: 'any attachment', sql: () => hasAttachment }),
]
