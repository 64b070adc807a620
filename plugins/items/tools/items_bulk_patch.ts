import { Content, defineTool, errorBody, Type, widen } from 'tasuki/plugin'
import { bulkParams, bulkTargets, draftsOf, effectOf, itemRefs, problemOf, type BulkInput } from '../bulk.ts'
import { contributedParams } from '../points.ts'
import { requireChange } from '../refusals.ts'
import { prepareItems, writeItems } from '../write.ts'

const Input = Type.Object({ item_refs: itemRefs, ...bulkParams }, { additionalProperties: false })

export const itemsBulkPatch = defineTool({
  name: 'items_bulk_patch',
  class: 'WD',
  title: 'Change many items',
  summary:
    'Applies the same changes to 2-25 items; one that cannot be changed is reported, the others are changed. Look first with items_bulk_patch_preview.',
  rank: 100,
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
  async confirm(ctx, input) {
    requireChange(input, 'item_refs')
    const targets = await bulkTargets(ctx, input as BulkInput, { lock: false })
    await prepareItems(ctx, draftsOf(targets), { tool: 'items_bulk_patch', input })
    return effectOf(targets)
  },
  async run(ctx, input) {
    requireChange(input, 'item_refs')
    const targets = await bulkTargets(ctx, input, { lock: true })
    await writeItems(ctx, draftsOf(targets), { tool: 'items_bulk_patch', input, bulk: true })
    const results = targets.map(target => {
      const problem = problemOf(target)
      if (problem || 'error' in target) return { item_ref: target.ref, ok: false, error: errorBody(problem!) }
      return { item_ref: target.ref, ok: true, changed: target.draft.changes.map(change => change.field) }
    })
    const succeeded = results.filter(result => result.ok).length
    const warnings = draftsOf(targets).flatMap(draft => draft.warnings)
    if (input.title !== undefined && succeeded > 1) warnings.unshift(`${succeeded} items have the same title now.`)
    const data = { results, succeeded, failed: results.length - succeeded, ...(warnings.length > 0 && { warnings }) }
    return succeeded === 0 ? new Content([], data, true) : data
  },
})
