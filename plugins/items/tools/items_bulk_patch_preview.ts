import { defineTool, ToolError, Type, widen } from 'tasuki/plugin'
import { bulkDrafts, bulkParams, itemRefs, problemOf, requireChange, type BulkInput } from '../bulk.ts'
import { PRIORITIES } from '../find.ts'
import { contributedParams } from '../points.ts'
import { prepareItems } from '../write.ts'

const { priority: _priority, ...params } = bulkParams
const Input = Type.Object(
  { item_refs: itemRefs, ...params, priority: Type.Optional(Type.String({ maxLength: 20, description: 'Priority.' })) },
  { additionalProperties: false },
)

export const itemsBulkPatchPreview = defineTool({
  name: 'items_bulk_patch_preview',
  class: 'R',
  title: 'Preview bulk change',
  summary: 'Dry run of items_bulk_patch: for each item the values before and after, the changed fields, and why it would be refused. Writes nothing.',
  rank: 131,
  input: all => widen(Input, contributedParams(all, 'items_bulk_patch', true)),
  output: Type.Object({
    results: Type.Array(
      Type.Object({
        item_ref: Type.String(),
        ok: Type.Boolean(),
        changed: Type.Array(Type.String()),
        before: Type.Object({}),
        after: Type.Object({}),
        error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
      }),
    ),
    succeeded: Type.Integer(),
    failed: Type.Integer(),
  }),
  async run(ctx, input) {
    requireChange(input)
    const targets = await bulkDrafts(ctx, input as BulkInput, false)
    const drafts = targets.flatMap(target => ('draft' in target ? [target.draft] : []))
    const { priority } = input
    if (priority !== undefined && !(PRIORITIES as readonly string[]).includes(priority)) {
      for (const draft of drafts) draft.problems.push(new ToolError('invalid_argument', `"${priority}" is not a priority.`, { field: 'priority', allowed: PRIORITIES }))
    }
    await prepareItems(ctx, drafts, { tool: 'items_bulk_patch', input })
    const results = targets.map(target => {
      const changes = 'draft' in target ? target.draft.changes : []
      const error = problemOf(target)
      return {
        item_ref: target.ref,
        ok: error === null,
        changed: changes.map(change => change.field),
        before: Object.fromEntries(changes.map(change => [change.field, change.from])),
        after: Object.fromEntries(changes.map(change => [change.field, change.to])),
        ...(error && { error }),
      }
    })
    const succeeded = results.filter(result => result.ok).length
    return { results, succeeded, failed: results.length - succeeded }
  },
})
