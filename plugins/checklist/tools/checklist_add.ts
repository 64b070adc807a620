import { defineTool, guarded, notBlank, ToolError, Type } from 'tasuki/plugin'
import { recordChanges, itemRef, requireItem, toItemChange, toItemOfRow } from '../../items/index.ts'
import { insertStep } from '../step.repository.ts'
import { MOST_STEPS, step } from '../step.ts'

export const checklistAdd = defineTool({
  name: 'checklist_add',
  class: 'W',
  title: 'Add checklist step',
  summary: 'Adds one step at the end of the checklist of an item.',
  rank: 230,
  input: {
    item_ref: itemRef(),
    content: notBlank(guarded(Type.String({ description: 'The step.' }), { minLength: 1, maxLength: 1000 })),
  },
  output: { checklist_item: step, changed: Type.Array(Type.String()) },
  async run(ctx, { item_ref: ref, content }) {
    const item = await requireItem(ctx, ref, { write: true, lock: true })
    const found = toItemOfRow(item)
    const added = await insertStep(ctx, item, content, MOST_STEPS)
    if (!added)
      throw new ToolError('limit_exceeded', `${found.item.ref} has ${MOST_STEPS} steps already.`, {
        field: 'content',
        hint: 'Make an item of its own for part of them.',
      })
    await recordChanges(ctx, [toItemChange(found, 'checklist.added', { to: content })])
    return { checklist_item: added, changed: ['checklist'] }
  },
})
