import { choice, errorBody, reference, ToolError, Type, type WriteContext } from 'tasuki/plugin'
import { findItems, type ItemRow } from '../items/index.ts'
import type { Link, Linked } from './link.ts'

export const memberRole = Type.Optional(
  choice(['source', 'target'], { default: 'source', description: 'What the members are.' }),
)
export const memberRefs = (minItems: number) =>
  Type.Array(reference(), { minItems, maxItems: 25, description: 'Items.' })

/** The output of tools that link many items. */
export const bulkOutput = Type.Object({
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
})

export interface Members {
  readonly refs: readonly string[]
  /** Index of a reference → the item, or why there is none. */
  readonly found: readonly ({ readonly item: ItemRow } | { readonly error: ToolError })[]
}

/** Finds members and counterparts in one statement. @throws ToolError when a counterpart cannot be found */
export async function findEnds(
  ctx: WriteContext,
  members: readonly string[],
  counterparts: readonly (readonly [field: string, ref: string])[],
): Promise<{ members: Members; counterparts: ItemRow[] }> {
  const found = await findItems(ctx, [...members, ...counterparts.map(([, ref]) => ref)], {
    write: true,
    lock: true,
    field: 'member_refs',
  })
  const others = found.slice(members.length).map((one, n) => {
    if (!('error' in one)) return one.item
    const { error } = one
    throw new ToolError(error.code, error.message, { ...error.help, field: counterparts[n]![0] })
  })
  return { members: { refs: members, found: found.slice(0, members.length) }, counterparts: others }
}

/** The pairs that members and one counterpart make. */
export function linksOf({ found }: Members, counterpart: ItemRow, role: 'source' | 'target'): Link[] {
  return found.flatMap(one => {
    if ('error' in one) return []
    return [role === 'source' ? { source: one.item, target: counterpart } : { source: counterpart, target: one.item }]
  })
}

/** One result per member, in the order of the call. */
export function resultsOf({ refs, found }: Members, outcome: (item: ItemRow) => Linked | boolean | undefined) {
  const results = refs.map((ref, n) => {
    const one = found[n]!
    if ('error' in one) return { item_ref: ref, ok: false, error: errorBody(one.error) }
    const done = outcome(one.item)
    if (typeof done === 'object' && 'error' in done) return { item_ref: ref, ok: false, error: errorBody(done.error) }
    const changed = typeof done === 'object' ? done.created : done === true
    return { item_ref: ref, ok: true, changed: changed ? ['relations'] : [] }
  })
  const succeeded = results.filter(result => result.ok).length
  return { results, succeeded, failed: results.length - succeeded }
}
