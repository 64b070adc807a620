import { defineTool, guarded, sql, ToolError, Type, uuid } from 'tasuki/plugin'
import { recordChanges, itemRef, requireItem } from '../../items/index.ts'
import { MOST_STEPS, step, stepJson, type Step } from '../step.ts'

const Input = Type.Object(
  {
    item_ref: itemRef(),
    content: guarded(Type.String({ description: 'The step.' }), { minLength: 1, maxLength: 1000 }),
  },
  { additionalProperties: false },
)

export const checklistAdd = defineTool({
  name: 'checklist_add',
  class: 'W',
  title: 'Add checklist step',
  summary: 'Adds one step at the end of the checklist of an item.',
  rank: 230,
  input: Input,
  output: Type.Object({ checklist_item: step, changed: Type.Array(Type.String()) }),
  async run(ctx, { item_ref: ref, content }) {
    const item = await requireItem(ctx, ref, { write: true, lock: true })
    const { rows } = await sql<{ step: Step }>`
      insert into checklist.steps as c (owner_id, id, item_id, content, done, position, created_at)
      select ${item.ownerId}::uuid, ${uuid()}::uuid, ${item.id}::uuid, ${content}::text, false, n.last + 1, ${ctx.now}::timestamptz
      from (select coalesce(max(s.position), 0) as last, count(*) as steps from checklist.steps s
        where s.owner_id = ${item.ownerId} and s.item_id = ${item.id}) n
      where n.steps < ${MOST_STEPS} returning ${stepJson('c')} as step
    `.execute(ctx.db)
    const [row] = rows
    if (!row) {
      throw new ToolError('limit_exceeded', `${item.project.key}#${item.number} has ${MOST_STEPS} steps already.`, {
        field: 'content',
        hint: 'Make an item of its own for part of them.',
      })
    }
    await recordChanges(ctx, [
      {
        ownerId: item.ownerId,
        itemId: item.id,
        projectId: item.project.id,
        ref: `${item.project.key}#${item.number}`,
        title: item.title,
        kind: 'checklist.added',
        to: content,
      },
    ])
    return { checklist_item: row.step, changed: ['checklist'] }
  },
})
