import { defineTool, recordId, ToolError, Type } from 'tasuki/plugin'
import { recordChanges, toItemChange } from '../../items/index.ts'
import { checkRole } from '../../projects/index.ts'
import { lockStep, updateDone } from '../step.repository.ts'
import { step } from '../step.ts'

export const checklistToggle = defineTool({
  name: 'checklist_toggle',
  class: 'W',
  title: 'Toggle checklist step',
  summary: 'Completes or reopens one checklist step.',
  rank: 240,
  input: {
    checklist_item_id: recordId('Id; see checklist_list.'),
    done: Type.Boolean({ description: 'true completes, false reopens.' }),
  },
  output: { item_ref: Type.String(), checklist_item: step, changed: Type.Array(Type.String()) },
  async run(ctx, { checklist_item_id: id, done }) {
    const found = await lockStep(ctx, id)
    if (!found)
      throw new ToolError('not_found', `There is no checklist step ${id}.`, {
        field: 'checklist_item_id',
        hint: 'checklist_list shows the steps of an item.',
      })
    checkRole(ctx, found.project, { write: true })
    const { ownerId, item, project, ...before } = found
    const result = { item_ref: item.ref, checklist_item: { ...before, done } }
    if (before.done === done) return { ...result, changed: [] }
    await updateDone(ctx, ownerId, id, done)
    const kind = done ? 'checklist.completed' : 'checklist.reopened'
    await recordChanges(ctx, [toItemChange({ ownerId, item, project }, kind, { to: before.content })])
    return { ...result, changed: ['done'] }
  },
})
