import { Content, countCharacters, errorBody, guarded, nullable, quoteValue, reference, Type } from 'tasuki/plugin'
import type { ReadContext, Static, ToolError, TProperties } from 'tasuki/plugin'
import type { Draft, FieldChange } from './draft.ts'
import { draftOf } from './create-draft.ts'
import { findItems, refuseRepeats } from './find.ts'
import { DEFAULT_KIND, kindOf } from './kinds.ts'
import { catchToolError, describeRefusals, combineErrors, type Refusal } from './refusals.ts'
import { moveItems } from './states.ts'
import { requireItemUnchanged } from './write.ts'
import { applyPatch, detail, patchParams, warnOfNulls } from './write-params.ts'

/** The input of items_bulk_patch. */
export const bulkInput = Type.Object({
  item_refs: Type.Array(reference(), { minItems: 2, maxItems: 25, description: 'Items.' }),
  ...patchParams,
  detail: Type.Optional(detail('New Markdown body.')),
  kind: Type.Optional(nullable(guarded(Type.String({ description: 'Kind; null = task.' }), { maxLength: 40 }))),
  status_definition_id: Type.Optional(
    guarded(Type.String({ description: 'Id or name of a state.' }), { minLength: 1, maxLength: 200 }),
  ),
})
export type BulkInput = Static<typeof bulkInput>

/** The output of tools that change many items: one result per reference. */
export const bulkOutput = resultsOf({
  changed: Type.Optional(Type.Array(Type.String())),
  error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
})

/** The output of a tool with one result per reference. @param fields fields of a result beside `item_ref` and `ok` */
export function resultsOf<P extends TProperties>(fields: P) {
  const result = Type.Object({ item_ref: Type.String(), ok: Type.Boolean(), ...fields })
  const warnings = Type.Optional(Type.Array(Type.String()))
  return Type.Object({ results: Type.Array(result), succeeded: Type.Integer(), failed: Type.Integer(), warnings })
}

/** Counts the results of a call on many items; without a success the answer is an error. @param more further fields */
export function countResults<R extends { readonly ok: boolean }, M extends object>(results: R[], more: M) {
  const succeeded = results.filter(({ ok }) => ok).length
  const data = { results, succeeded, failed: results.length - succeeded, ...more }
  return succeeded === 0 ? new Content([], data, { isError: true }) : data
}

/** One target of a bulk change: a draft, or the error that prevents one. */
export type Target =
  | { readonly ref: string; readonly draft: Draft }
  | { readonly ref: string; readonly error: ToolError }

/** Loads all targets and applies the change to a draft of each. Errors of a single target are added to the problems of its draft. */
export async function bulkTargets(ctx: ReadContext, input: BulkInput, { lock }: { lock: boolean }): Promise<Target[]> {
  const kind = input.kind === undefined ? undefined : kindOf(input.kind || DEFAULT_KIND)
  const moves = input.status_definition_id !== undefined
  const rows = lock && moves ? 'with workflows' : lock
  const found = await findItems(ctx, input.item_refs, { write: true, lock: rows, field: 'item_refs' })
  const targets = refuseRepeats(found, 'item_refs').map((one): Target => {
    if ('error' in one) return one
    const { ref, item } = one
    const stale = catchToolError(() => requireItemUnchanged(ctx, item))
    return stale ? { ref, error: stale } : { ref, draft: draftOf(item) }
  })
  const drafts = draftsOf(targets)
  warnOfNulls(ctx, drafts)
  for (const draft of drafts) {
    applyPatch(draft, input, { keepTime: true })
    if (input.detail !== undefined) draft.after.detail = input.detail
    if (kind !== undefined) draft.after.kind = kind
  }
  if (input.status_definition_id !== undefined) await moveItems(ctx, drafts, input.status_definition_id, { lock })
  return targets
}

export function draftsOf(targets: readonly Target[]): Draft[] {
  return targets.flatMap(target => ('draft' in target ? [target.draft] : []))
}

/** Returns the reason why a target cannot be changed, or undefined. */
export function problemOf(target: Target): ToolError | undefined {
  return 'error' in target ? target.error : combineErrors(target.draft.problems)
}

/** Builds the result of items_bulk_patch: the outcome per target, in the order of the call. */
export function answerOf(targets: readonly Target[], input: BulkInput): Static<typeof bulkOutput> | Content {
  const results = targets.map(target => {
    const problem = problemOf(target)
    if (problem || 'error' in target) return { item_ref: target.ref, ok: false, error: errorBody(problem!) }
    return { item_ref: target.ref, ok: true, changed: target.draft.changes.map(change => change.field) }
  })
  return countResults(results, warningsOf(targets, input))
}

/** Returns what a bulk change warns of, for its answer and its preview. */
export function warningsOf(targets: readonly Target[], { title }: Partial<BulkInput>): { warnings?: string[] } {
  const succeeding = targets.filter(target => !problemOf(target)).length
  // A warning about a project is the same for each of its items.
  const warnings = new Set(draftsOf(targets).flatMap(draft => draft.warnings))
  const alike = title !== undefined && succeeding > 1 ? [`${succeeding} items get the same title.`] : []
  const all = [...alike, ...warnings]
  return all.length > 0 ? { warnings: all } : {}
}

/** Describes the effect of the change for the user to confirm. @returns null when nothing changes */
export function effectOf(targets: readonly Target[]): string | null {
  const changing = draftsOf(targets).filter(draft => draft.problems.length === 0 && draft.changes.length > 0)
  if (changing.length === 0) return null
  const effects = new Map<string, Draft[]>()
  for (const draft of changing)
    for (const effect of draft.changes.flatMap(effectsOf)) effects.set(effect, [...(effects.get(effect) ?? []), draft])
  const same = [...effects].flatMap(([effect, drafts]) => (drafts.length === changing.length ? [effect] : []))
  const others = [...effects].filter(([, drafts]) => drafts.length < changing.length)
  const of = `${changing.length} of ${targets.length} items (${refsOf(changing)})`
  const text = [
    same.length > 0 ? `${same.join(', ')} on ${of}` : `change ${of}`,
    ...others.map(([effect, drafts]) => `${effect} on ${drafts.length} (${refsOf(drafts)})`),
    ...describeRefusals(refusalsOf(targets), 'cannot be changed'),
  ].join('; ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function refsOf(records: readonly { readonly ref: string }[]): string {
  return records.map(({ ref }) => ref).join(', ')
}

/** Describes a change. For lists it names additions and removals, so that items with different lists share one description. */
function effectsOf({ field, from, to }: FieldChange): string[] {
  if (!Array.isArray(to))
    return [to === null || to === '' ? `clear ${field}` : `set ${field} to ${shorten(String(to))}`]
  const before = (from ?? []) as readonly string[]
  const one = field.replace(/s$/, '')
  return [
    ...to.filter(value => !before.includes(value)).map(value => `add ${one} ${shorten(value)}`),
    ...before.filter(value => !to.includes(value)).map(value => `remove ${one} ${shorten(value)}`),
  ]
}

function refusalsOf(targets: readonly Target[]): Refusal[] {
  return targets.flatMap(target => {
    const error = problemOf(target)
    return error ? [{ ref: 'draft' in target ? target.draft.ref : target.ref, error }] : []
  })
}

const SHOWN_MAX = 60

function shorten(text: string): string {
  const length = countCharacters(text)
  return `${quoteValue(text, SHOWN_MAX)}${length > SHOWN_MAX ? ` (${length} characters)` : ''}`
}
