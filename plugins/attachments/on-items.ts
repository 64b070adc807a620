import { sql, Type } from 'tasuki/plugin'
import { itemFields, itemHas, itemMoves, itemSections } from '../items/points.ts'
import { attachmentSchema, attachmentsOf } from './attachment.ts'

const ofItem = sql<boolean>`a.owner_id = i.owner_id and a.parent_id = i.id and a.parent_kind = 'item'`
const stored = sql`from attachments.attachments a where ${ofItem} and a.state = 'stored'`

/** Who sees the project of an item sees its files and those of its discussions. */
const followProject = itemMoves(() => async (ctx, drafts) => {
  if (drafts.length === 0) return
  const { ownerId, project } = drafts[0]!
  await sql`
    update attachments.attachments a set project_id = ${project.id}
    where a.owner_id = ${ownerId} and a.item_id in (${sql.join(drafts.map(({ id }) => id))})
  `.execute(ctx.db)
})

/** Everything that attachments add to items. */
export const onItems = [
  itemFields({
    when: 'include_attachments',
    summary: 'attachment_count',
    fields: { attachment_count: Type.Integer() },
    sql: sql`select json_build_object('attachment_count', count(*)::int) ${stored}`,
  }),
  followProject,
  itemSections({ name: 'attachments', schema: Type.Array(attachmentSchema), sql: ctx => attachmentsOf(ctx, ofItem) }),
  itemHas({ value: 'attachment', summary: 'any attachment', sql: () => sql<boolean>`exists (select ${stored})` }),
]
