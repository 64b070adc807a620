import { clearable, defineTool, errorBody, firstCharacters, quoteName, ToolError, Type, widen } from 'tasuki/plugin'
import { bulkInput, bulkTargets, draftsOf, problemOf, resultsOf, warningsOf } from '../bulk.ts'
import type { BulkInput, Target } from '../bulk.ts'
import { plainValues } from '../create-draft.ts'
import { PRIORITIES, type FieldChange } from '../draft.ts'
import { contributedParams } from '../points.ts'
import { requireChange } from '../refusals.ts'
import { prepareItems } from '../write.ts'

const { priority: _priority, ...params } = bulkInput.properties
const Input = Type.Object({
  ...params,
  priority: Type.Optional(clearable(Type.String({ description: 'Priority.' }))),
})

export const itemsBulkPatchPreview = defineTool({
  name: 'items_bulk_patch_preview',
  class: 'R',
  title: 'Preview bulk change',
  summary: 'Dry run of a bulk change: per item the values before and after, or why it would be refused.',
  rank: 300,
  input: all => widen(Input, contributedParams(all, 'items_bulk_patch_preview')),
  output: resultsOf({
    changed: Type.Array(Type.String()),
    before: Type.Object({}),
    after: Type.Object({}),
    error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
  }),
  async run(ctx, input) {
    requireChange(input, 'item_refs')
    const { priority, ...rest } = input
    const unknown = priority && !(PRIORITIES as readonly string[]).includes(priority)
    const targets = await bulkTargets(ctx, (unknown ? rest : input) as BulkInput, { lock: false })
    const drafts = draftsOf(targets)
    if (unknown) {
      const message = `${quoteName(priority)} is not a priority.`
      const error = new ToolError('invalid_argument', message, { field: 'priority', allowed: PRIORITIES })
      for (const { problems } of drafts) problems.push(error)
    }
    await prepareItems(ctx, drafts, { tool: 'items_bulk_patch', input })
    const results = targets.map(target => previewOf(target, Object.keys(input)))
    const succeeded = results.filter(result => result.ok).length
    return { results, succeeded, failed: results.length - succeeded, ...warningsOf(targets, rest) }
  },
})

/** Returns all fields that the call names, and dependent ones (a due time with its date). A refused item stays as it is. */
function previewOf(target: Target, named: readonly string[]) {
  const problem = problemOf(target)
  const verdict = { item_ref: target.ref, ok: problem === undefined, ...(problem && { error: errorBody(problem) }) }
  if ('error' in target) return { ...verdict, changed: [], before: {}, after: {} }
  const { before, after, changes } = target.draft
  const status = named.includes('status_definition_id') ? { status: before!.state.name } : {}
  const current = shortenDetail({ ...plainValues(before!, named), ...status, ...valuesOf(changes, 'from') })
  if (problem) return { ...verdict, changed: [], before: current, after: current }
  return {
    ...verdict,
    changed: changes.map(change => change.field),
    before: current,
    after: shortenDetail({ ...plainValues(after, named), ...status, ...valuesOf(changes, 'to') }),
  }
}

function valuesOf(changes: readonly FieldChange[], side: 'from' | 'to') {
  return Object.fromEntries(changes.map(change => [change.field, change[side]]))
}

/** Length of the body excerpt per item, in characters. */
const EXCERPT = 280

function shortenDetail(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { detail } = values
  if (typeof detail !== 'string' || detail.length <= EXCERPT) return values
  return { ...values, detail: `${firstCharacters(detail, EXCERPT)}…` }
}
