import { Content, defineTool, Type, widen } from 'tasuki/plugin'
import { bulkDrafts, bulkParams, itemRefs, problemOf, requireChange, type BulkInput } from '../bulk.ts'
import { contributedParams } from '../points.ts'
import { writeItems } from '../write.ts'

const Input = Type.Object({ item_refs: itemRefs, ...bulkParams }, { additionalProperties: false })

export const itemsBulkPatch = defineTool({
  name: 'items_bulk_patch',
  class: 'WD',
  title: 'Change many items',
  summary: 'Applies the same changes to 2-25 items. An item that cannot be changed is reported and the others are changed. Look first with items_bulk_patch_preview.',
  rank: 130,
  input: all => widen(Input, contributedParams(all, 'items_bulk_patch')),
  output: Type.Object({
    results: Type.Array(
      Type.Object({
        item_ref: Type.String(),
        ok: Type.Boolean(),
        changed: Type.Optional(Type.Array(Type.String())),
        error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
      }),
    ),
    succeeded: Type.Integer(),
    failed: Type.Integer(),
    warnings: Type.Optional(Type.Array(Type.String())),
  }),
  confirm: (_ctx, { item_refs: refs, ...changes }: { item_refs: string[] }) => `Change ${Object.keys(changes).join(', ')} of ${refs.length} items: ${refs.join(', ')}`,
  async run(ctx, input) {
    requireChange(input)
    const targets = await bulkDrafts(ctx, input as BulkInput, true)
    const drafts = targets.flatMap(target => ('draft' in target ? [target.draft] : []))
    await writeItems(ctx, drafts, { tool: 'items_bulk_patch', input, bulk: true })
    const results = targets.map(target => {
      const error = problemOf(target)
      if (error) return { item_ref: target.ref, ok: false, error }
      return { item_ref: target.ref, ok: true, changed: 'draft' in target ? target.draft.changes.map(change => change.field) : [] }
    })
    const succeeded = results.filter(result => result.ok).length
    const warnings = input.title !== undefined ? [`All ${succeeded} items have the same title now.`] : []
    const data = { results, succeeded, failed: results.length - succeeded, ...(warnings.length > 0 && { warnings }) }
    return succeeded === 0 ? new Content([], data, true) : data
  },
})
