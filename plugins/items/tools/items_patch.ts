import { choice, defineTool, guarded, nullable, Type, widen, type Static, type WriteContext } from 'tasuki/plugin'
import { applyDetailChange, DETAIL_LIMIT } from '../detail-edit.ts'
import { draftOf } from '../create-draft.ts'
import type { ItemRow } from '../draft.ts'
import { requireItem } from '../find.ts'
import { applyParent, requireParent } from '../parents.ts'
import { contributedParams } from '../points.ts'
import { itemRef } from '../refs.ts'
import { collectProblems, requireChange } from '../refusals.ts'
import { readWritten, writtenOutput, type Written } from '../result.ts'
import { applyPatch, detail, patchParams, stateMisnomers, warnOfNulls } from '../write-params.ts'
import { requireItemUnchanged, writeItem, type WriteOptions } from '../write.ts'

const Edit = Type.Object(
  {
    find: guarded(Type.String({ description: 'Exact text.' }), { minLength: 1, maxLength: DETAIL_LIMIT }),
    replace: guarded(Type.String({ description: 'New text.' }), { maxLength: 32_000 }),
    occurrence: Type.Optional(choice(['first', 'all'], { default: 'first', description: 'Which.' })),
  },
  { additionalProperties: false },
)

const Input = Type.Object({
  item_ref: itemRef(),
  ...patchParams,
  detail: Type.Optional(detail('New body; prefer detail_edits.')),
  detail_append: Type.Optional(detail('Text for the end.')),
  detail_edits: Type.Optional(
    guarded(Type.Array(Edit, { description: 'In order, all or nothing.' }), { minItems: 1, maxItems: 100 }),
  ),
  parent: Type.Optional(nullable(guarded(Type.String({ description: 'Parent; null detaches.' }), { maxLength: 300 }))),
})

export const itemsPatch = defineTool({
  name: 'items_patch',
  class: 'W',
  title: 'Change item',
  summary:
    'Changes fields of one item. A new due_date alone resets due_time. For the state use items_move_state or items_complete.',
  rank: 60,
  input: all => widen(Input, contributedParams(all, 'items_patch')),
  misnomers: stateMisnomers('items_move_state sets the state; items_complete completes the item.'),
  output: writtenOutput,
  async run(ctx, input) {
    requireChange(input, 'item_ref')
    return patchItem(ctx, await requireItem(ctx, input.item_ref, { write: true, lock: true }), input)
  },
})

/** Changes an item that the caller has locked. @param edits changes besides those of the parameters */
export async function patchItem(
  ctx: WriteContext,
  item: ItemRow,
  input: Partial<Static<typeof Input>>,
  edits: WriteOptions['edits'] = [],
): Promise<Written> {
  requireItemUnchanged(ctx, item)
  const draft = draftOf(item)
  applyPatch(draft, input)
  warnOfNulls(ctx, [draft])
  await collectProblems(draft, () => void (draft.after.detail = applyDetailChange(item.detail, input)))
  const { parent } = input
  if (parent !== undefined) {
    await collectProblems(draft, async () => {
      const above = parent ? await requireParent(ctx, parent, draft.ownerId) : null
      await applyParent(ctx, [draft], above, { field: 'parent', write: ctx })
    })
  }
  await writeItem(ctx, draft, { tool: 'items_patch', input, edits })
  return readWritten(ctx, draft)
}
