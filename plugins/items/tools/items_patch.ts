import { choice, defineTool, nullable, Type, widen } from 'tasuki/plugin'
import { changedDetail } from '../detail-edit.ts'
import { draftOf } from '../drafting.ts'
import { requireItem } from '../find.ts'
import { applyParent, requireParent } from '../parents.ts'
import { contributedParams } from '../points.ts'
import { itemRef } from '../refs.ts'
import { collect, requireChange } from '../refusals.ts'
import { written, writtenOutput } from '../result.ts'
import { applyPatch, detail, patchParams } from '../write-params.ts'
import { checkFresh, writeItem } from '../write.ts'

const Edit = Type.Object(
  {
    find: Type.String({ minLength: 1, description: 'Exact text in the body.' }),
    replace: Type.String({ maxLength: 32_000, description: 'What to put there.' }),
    occurrence: Type.Optional(choice(['first', 'all'], { default: 'first', description: 'Which occurrences.' })),
  },
  { additionalProperties: false },
)

const Input = Type.Object(
  {
    item_ref: itemRef(),
    ...patchParams,
    detail: Type.Optional(detail('New Markdown body; prefer detail_edits or items_rewrite_detail.')),
    detail_append: Type.Optional(detail('Text put at the end of the body.')),
    detail_edits: Type.Optional(
      Type.Array(Edit, { minItems: 1, maxItems: 100, description: 'Edits in order, all or nothing.' }),
    ),
    parent: Type.Optional(nullable(Type.String({ maxLength: 300, description: 'Parent item KEY#n; null detaches.' }))),
  },
  { additionalProperties: false },
)

export const itemsPatch = defineTool({
  name: 'items_patch',
  class: 'W',
  title: 'Change item',
  summary:
    'Changes fields of one item; what is left out stays. A new due_date alone resets due_time. For the workflow state use items_move_state or items_complete. Returns the item and changed.',
  rank: 111,
  input: all => widen(Input, contributedParams(all, 'items_patch')),
  output: writtenOutput,
  async run(ctx, input) {
    requireChange(input, 'item_ref')
    const item = await requireItem(ctx, input.item_ref, { write: true, lock: true })
    checkFresh(ctx, item)
    const draft = draftOf(item)
    applyPatch(draft, input)
    await collect(draft, () => void (draft.after.detail = changedDetail(item.detail, input)))
    const { parent } = input
    if (parent !== undefined) {
      await collect(draft, async () => {
        const above = parent ? await requireParent(ctx, parent, draft.ownerId) : null
        await applyParent(ctx, [draft], above, 'parent')
      })
    }
    await writeItem(ctx, draft, { tool: 'items_patch', input })
    return written(ctx, draft)
  },
})
