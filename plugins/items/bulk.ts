import { guarded, nullable, reference, ToolError, Type, type ReadContext, type Static } from 'tasuki/plugin'
import type { Draft } from './draft.ts'
import { draftOf } from './drafting.ts'
import { findItems } from './find.ts'
import { DEFAULT_KIND, kindOf } from './kinds.ts'
import { attempt, together } from './refusals.ts'
import { moveItems } from './states.ts'
import { checkFresh } from './write.ts'
import { applyPatch, detail, patchParams } from './write-params.ts'

export const itemRefs = Type.Array(reference(), {
  minItems: 2,
  maxItems: 25,
  description: 'Items.',
})

/** The fields that items_bulk_patch and its preview share. */
export const bulkParams = {
  ...patchParams,
  detail: Type.Optional(detail('New Markdown body.')),
  kind: Type.Optional(nullable(guarded(Type.String({ description: 'Kind; null = task.' }), { maxLength: 40 }))),
  status_definition_id: Type.Optional(
    guarded(Type.String({ description: 'Id or name of a state.' }), { minLength: 1, maxLength: 200 }),
  ),
}
const BulkParams = Type.Object({ item_refs: itemRefs, ...bulkParams })
export type BulkInput = Static<typeof BulkParams>

/** One target of a bulk change: a draft, or why there is none. */
export type Target =
  | { readonly ref: string; readonly draft: Draft }
  | { readonly ref: string; readonly error: ToolError }

/** Loads all targets and lays the change over each; what concerns one target alone goes to its draft's problems. */
export async function bulkTargets(ctx: ReadContext, input: BulkInput, { lock }: { lock: boolean }): Promise<Target[]> {
  const kind = input.kind === undefined ? undefined : kindOf(input.kind || DEFAULT_KIND)
  const found = await findItems(ctx, input.item_refs, { write: true, lock, field: 'item_refs' })
  const seen = new Set<string>()
  const targets = found.map((one): Target => {
    if ('error' in one) return one
    const { ref, item } = one
    if (seen.has(item.id)) {
      const help = { field: 'item_refs', hint: 'Name each item once.' }
      return { ref, error: new ToolError('invalid_argument', `${ref} is named twice.`, help) }
    }
    seen.add(item.id)
    const stale = attempt(() => checkFresh(ctx, item))
    return stale ? { ref, error: stale } : { ref, draft: draftOf(item) }
  })
  const drafts = draftsOf(targets)
  for (const draft of drafts) {
    applyPatch(draft, input)
    if (input.detail !== undefined) draft.after.detail = input.detail
    if (kind !== undefined) draft.after.kind = kind
  }
  if (input.status_definition_id !== undefined) await moveItems(ctx, drafts, input.status_definition_id, { lock })
  return targets
}

export function draftsOf(targets: readonly Target[]): Draft[] {
  return targets.flatMap(target => ('draft' in target ? [target.draft] : []))
}

/** Why a target cannot be changed; undefined when it can. */
export function problemOf(target: Target): ToolError | undefined {
  return 'error' in target ? target.error : together(target.draft.problems)
}

/** What the change does, in one sentence for the user to agree to. */
export function effectOf(targets: readonly Target[]): string {
  const refused = targets.filter(target => problemOf(target))
  const drafts = draftsOf(targets).filter(draft => draft.problems.length === 0)
  const changed = drafts.filter(draft => draft.changes.length > 0)
  const values = new Map(changed.flatMap(draft => draft.changes.map(({ field, to }) => [field, shown(to)])))
  const what = [...values].map(([field, value]) => (value === '' ? `clear ${field}` : `set ${field} to ${value}`))
  const parts = [
    changed.length === 0
      ? `change none of ${targets.length} items`
      : `${what.join(', ')} on ${changed.length} of ${targets.length} items (${changed.map(draft => draft.ref).join(', ')})`,
  ]
  if (refused.length > 0) parts.push(`${refused.map(({ ref }) => ref).join(', ')} cannot be changed`)
  const text = parts.join('; ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const SHOWN_MAX = 60

function shown(value: unknown): string {
  const text = Array.isArray(value) ? value.join(', ') : String(value ?? '')
  const characters = Array.from(text)
  return characters.length > SHOWN_MAX
    ? `"${characters.slice(0, SHOWN_MAX - 1).join('')}…" (${characters.length} characters)`
    : text
}
