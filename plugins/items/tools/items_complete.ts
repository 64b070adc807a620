import { defineTool } from 'tasuki/plugin'
import { draftOf } from '../create-draft.ts'
import { requireItem } from '../find.ts'
import { itemRef } from '../refs.ts'
import { readWritten, writtenOutput } from '../result.ts'
import { completeItems } from '../states.ts'
import { reason } from '../write-params.ts'
import { requireItemUnchanged, writeItem } from '../write.ts'

export const itemsComplete = defineTool({
  name: 'items_complete',
  class: 'W',
  title: 'Complete item',
  summary: "Moves an item to its workflow's default completion state.",
  rank: 70,
  input: { item_ref: itemRef(), reason },
  output: writtenOutput,
  async run(ctx, { item_ref: ref, reason: why }) {
    const item = await requireItem(ctx, ref, { write: true, lock: 'with workflows' })
    requireItemUnchanged(ctx, item)
    const draft = draftOf(item, why ?? null)
    await completeItems(ctx, [draft])
    await writeItem(ctx, draft, { tool: 'items_patch', input: {} })
    return readWritten(ctx, draft)
  },
})
