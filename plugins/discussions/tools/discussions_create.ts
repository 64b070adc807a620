import { choice, defineTool, sql, Type, uuid } from 'tasuki/plugin'
import { recordChanges, itemRef, requireItem } from '../../items/index.ts'
import { body, changeOf, discussion, DISCUSSION_KINDS, discussionJson, type Discussion } from '../discussion.ts'
import { notifyMentioned } from '../mentions.ts'

const Input = Type.Object(
  {
    item_ref: itemRef(),
    body,
    kind: Type.Optional(choice(DISCUSSION_KINDS, { description: 'Default progress.' })),
  },
  { additionalProperties: false },
)

export const discussionsCreate = defineTool({
  name: 'discussions_create',
  class: 'W',
  title: 'Add discussion',
  summary: 'Comments on an item; @name tells a member.',
  rank: 110,
  input: Input,
  output: Type.Object({ discussion, changed: Type.Array(Type.String()) }),
  async run(ctx, { item_ref: ref, body: text, kind = 'progress' }) {
    const { ownerId, project, ...item } = await requireItem(ctx, ref, { write: true })
    const { rows } = await sql<{ discussion: Discussion }>`
      with d as (
        insert into discussions.discussions (owner_id, id, item_id, author_id, author_kind, body, kind, created_at, updated_at)
        values (${ownerId}, ${uuid()}, ${item.id}, ${ctx.actor.userId}, ${ctx.actor.kind}, ${text}, ${kind}, ${ctx.now}, ${ctx.now}) returning *)
      select ${discussionJson(ctx)} as discussion from d join core.users a on a.id = d.author_id
    `.execute(ctx.db)
    const found = { ownerId, project, item: { id: item.id, ref: `${project.key}#${item.number}`, title: item.title } }
    await recordChanges(ctx, [changeOf(found, 'discussion.created', { to: text })])
    await notifyMentioned(ctx, found, text)
    return { discussion: rows[0]!.discussion, changed: ['body', 'kind'] }
  },
})
