import { defineTool, guarded, nothingToChange, nullable, Type } from 'tasuki/plugin'
import {
  requireItemUnchanged,
  DEFAULT_KIND,
  draftOf,
  itemRef,
  requireItem,
  requireKind,
  writeItem,
  readWritten,
  writtenOutput,
} from '../../items/index.ts'
import { requireFeature } from '../../projects/index.ts'
import { estimateParam } from '../item-estimates.ts'

export const agileMetaPatch = defineTool({
  name: 'agile_meta_patch',
  class: 'W',
  title: 'Set estimate and kind',
  summary: 'Sets the estimate and the kind of one item.',
  rank: 520,
  gates: ['estimation'],
  input: {
    item_ref: itemRef(),
    estimate: Type.Optional(estimateParam),
    kind: Type.Optional(nullable(guarded(Type.String(), { maxLength: 40 }), { description: 'null = task.' })),
  },
  output: writtenOutput,
  async run(ctx, { item_ref, estimate, kind }) {
    if (estimate === undefined && kind === undefined) throw nothingToChange('Give estimate or kind.')
    const item = await requireItem(ctx, item_ref, { write: true, lock: true })
    requireFeature(ctx, 'estimation', item.project)
    requireItemUnchanged(ctx, item)
    const draft = draftOf(item)
    if (kind !== undefined) draft.after.kind = kind ? await requireKind(ctx, item.project, kind) : DEFAULT_KIND
    // Handles the estimate in the same way as items_bulk_patch.
    await writeItem(ctx, draft, { tool: 'items_bulk_patch', input: estimate === undefined ? {} : { estimate } })
    const result = await readWritten(ctx, draft)
    return result.changed.includes('estimate') ? { ...result, item: { estimate: null, ...result.item } } : result
  },
})
