import { errorBody, nullable, ToolError, Type, type ReadContext, type Static } from 'tasuki/plugin'
import type { Draft } from './draft.ts'
import { draftOf } from './drafting.ts'
import { findItems } from './find.ts'
import { requireItemState, moveTo, workflowsOf } from './states.ts'
import { applyPatch, detail, patchParams } from './write-params.ts'

export const itemRefs = Type.Array(Type.String({ minLength: 1, maxLength: 300 }), { minItems: 2, maxItems: 25, description: 'Items, KEY#n or #n.' })

/** The fields that items_bulk_patch and its preview share. */
export const bulkParams = {
  ...patchParams,
  detail: Type.Optional(detail('New Markdown body.')),
  kind: Type.Optional(nullable(Type.String({ maxLength: 40, description: 'Kind; null = task.' }))),
  status_definition_id: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Id or name of a state.' })),
}
const BulkParams = Type.Object({ item_refs: itemRefs, ...bulkParams })
export type BulkInput = Static<typeof BulkParams>

/** One target of a bulk change: a draft, or why there is none. */
export type Target = { readonly ref: string; readonly draft: Draft } | { readonly ref: string; readonly error: ToolError }

/** Loads all targets and lays the change over each; what concerns one target alone goes to its draft's problems. */
export async function bulkDrafts(ctx: ReadContext, input: BulkInput, lock: boolean): Promise<Target[]> {
  const found = await findItems(ctx, input.item_refs, { write: true, lock, field: 'item_refs' })
  const seen = new Set<string>()
  const targets = found.map((one): Target => {
    if ('error' in one) return one
    if (seen.has(one.item.id)) return { ref: one.ref, error: new ToolError('invalid_argument', `${one.ref} is named twice.`, { field: 'item_refs' }) }
    seen.add(one.item.id)
    return { ref: one.ref, draft: draftOf(one.item) }
  })
  const drafts = targets.flatMap(target => ('draft' in target ? [target.draft] : []))
  for (const draft of drafts) {
    applyPatch(draft, input)
    if (input.detail !== undefined) draft.after.detail = input.detail
    if (input.kind !== undefined) draft.after.kind = input.kind ?? 'task'
  }
  if (input.status_definition_id !== undefined) await moveAll(ctx, drafts, input.status_definition_id)
  return targets
}

async function moveAll(ctx: ReadContext, drafts: readonly Draft[], target: string): Promise<void> {
  const workflows = await workflowsOf(ctx, drafts)
  for (const draft of drafts) {
    try {
      moveTo(draft, requireItemState(draft, workflows.get(draft.workflowId)!, target), ctx.now)
    } catch (error) {
      if (!(error instanceof ToolError)) throw error
      draft.problems.push(error)
    }
  }
}

/** The first problem of a target, shaped as results show it; null when it is sound. */
export function problemOf(target: Target): ReturnType<typeof errorBody> | null {
  const problems = 'error' in target ? [target.error] : target.draft.problems
  const [first, ...others] = problems
  return first ? errorBody(others.length === 0 ? first : new ToolError(first.code, first.message, first.help, others)) : null
}

/** @throws ToolError missing_argument when the call names nothing to change */
export function requireChange(input: object): void {
  if (Object.keys(input).some(name => name !== 'item_refs' && name !== 'confirm_token')) return
  throw new ToolError('missing_argument', 'Nothing to change was given.', { hint: 'Give at least one field besides item_refs.' })
}
