import { defineTool, guarded, Type } from 'tasuki/plugin'
import { draftOf } from '../create-draft.ts'
import { requireItem } from '../find.ts'
import { itemRef } from '../refs.ts'
import { readWritten, writtenOutput } from '../result.ts'
import { moveItems } from '../states.ts'
import { reason } from '../write-params.ts'
import { requireItemUnchanged, writeItem } from '../write.ts'

export const itemsMoveState = defineTool({
  name: 'items_move_state',
  class: 'W',
  title: 'Move item to state',
  summary: 'Moves an item to a state of its workflow; an open one reopens it.',
  rank: 90,
  input: {
    item_ref: itemRef(),
    status_definition_id: guarded(Type.String({ description: 'Id or name of a state.' }), {
      minLength: 1,
      maxLength: 200,
    }),
    reason,
  },
  output: writtenOutput,
  async run(ctx, { item_ref: ref, status_definition_id: target, reason: why }) {
    const item = await requireItem(ctx, ref, { write: true, lock: 'with workflows' })
    requireItemUnchanged(ctx, item)
    const draft = draftOf(item, why ?? null)
    await moveItems(ctx, [draft], target, { lock: true })
    await writeItem(ctx, draft, { tool: 'items_patch', input: {} })
    return readWritten(ctx, draft)
  },
})
