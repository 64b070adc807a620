import { guarded, nullable, sql, ToolError, Type, type ReadContext } from 'tasuki/plugin'
import { itemParams, type Draft, type ItemWrite } from '../items/points.ts'
import { featureDisabled, featureOn } from '../projects/index.ts'
import { readEstimate, writeEstimates } from './estimate.ts'

/** The parameter `estimate`, in the words of every tool that has it. */
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

/** An estimate as a caller wrote it; empty = none. */
export interface Wanted {
  readonly text: string
  /** The parameter that it came from. */
  readonly field: string
}

/** Checks the estimates that items shall have and notes what they change; refusals go to the drafts. One statement. */
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
  const before = await estimatesOf(ctx, [...read.keys()])
  const changed = [...read].filter(([draft, to]) => (before.get(draft.id) ?? null) !== to)
  for (const [draft, to] of changed) draft.change('estimate', before.get(draft.id) ?? null, to)
  if (changed.length === 0) return undefined
  return (write, written) =>
    writeEstimates(
      write,
      changed.flatMap(([draft, value]) =>
        written.includes(draft) ? [{ ownerId: draft.ownerId, itemId: draft.id, value }] : [],
      ),
    )
}

async function estimatesOf(ctx: ReadContext, drafts: readonly Draft[]): Promise<ReadonlyMap<string, string>> {
  const keys = drafts.map(({ ownerId, id }) => sql`(${ownerId}::uuid, ${id}::uuid)`)
  const { rows } = await sql<{ id: string; value: string }>`
    select e.item_id as id, trim_scale(e.value)::text as value from estimation.estimates e
    where (e.owner_id, e.item_id) in (${sql.join(keys)})
  `.execute(ctx.db)
  return new Map(rows.map(row => [row.id, row.value]))
}
