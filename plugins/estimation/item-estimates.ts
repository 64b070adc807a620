import { guarded, nullable, ToolError, Type, type ReadContext } from 'tasuki/plugin'
import { itemParams, type Draft, type ItemWrite } from '../items/points.ts'
import { featureDisabled, featureOn } from '../projects/index.ts'
import { readEstimates, writeEstimates } from './estimate.repository.ts'
import { readEstimate } from './estimate.ts'

/** The parameter `estimate` of all tools. */
export const estimateParam = nullable(guarded(Type.String(), { maxLength: 40 }), {
  description: "In the project's unit; null clears.",
})

/** The parameter `estimate` of items_bulk_patch and its preview. */
export const bulkEstimate = itemParams({
  tools: ['items_bulk_patch'],
  params: { estimate: estimateParam },
  prepare(ctx, drafts, { estimate }) {
    if (estimate === undefined) return undefined
    return prepareEstimates(ctx, new Map(drafts.map(draft => [draft, { text: estimate ?? '', field: 'estimate' }])))
  },
})

/** An estimate as given by a caller; empty = none. */
export interface Wanted {
  readonly text: string
  /** The parameter that holds the text. */
  readonly field: string
}

/** Validates new estimates and adds changes and errors to the drafts, in one statement. */
export async function prepareEstimates(
  ctx: ReadContext,
  wanted: ReadonlyMap<Draft, Wanted>,
): Promise<ItemWrite | undefined> {
  const read = new Map<Draft, string | null>()
  for (const [draft, { text, field }] of wanted) {
    const { project } = draft
    const on = featureOn(ctx, 'estimation', project)
    const value = on ? readEstimate(text, project, field) : featureDisabled('estimation', project.key)
    if (value instanceof ToolError) draft.problems.push(value)
    else read.set(draft, value)
  }
  if (read.size === 0) return undefined
  const before = await readEstimates(ctx, [...read.keys()])
  const changed = [...read].filter(([draft, to]) => (before.get(draft.id) ?? null) !== to)
  for (const [draft, to] of changed) draft.change('estimate', before.get(draft.id) ?? null, to)
  if (changed.length === 0) return undefined
  return (write, written) => {
    const kept = changed.filter(([draft]) => written.includes(draft))
    const estimates = kept.map(([{ ownerId, id: itemId }, value]) => ({ ownerId, itemId, value }))
    return writeEstimates(write, estimates)
  }
}
