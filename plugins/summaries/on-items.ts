import { iso, sql, Type } from 'tasuki/plugin'
import { itemChanges, itemFields } from '../items/points.ts'
import { mayHaveFeature, ownerFeature } from '../projects/index.ts'
import { summariesConfig } from './config.ts'
import { summarizeSoon } from './generate.ts'

/** Changes after which the discussions of an item say something else. */
const DISCUSSED = new Set(['discussion.created', 'discussion.edited', 'discussion.deleted'])

const followDiscussions = itemChanges(async (ctx, changes) => {
  const changed = new Map(
    changes
      .filter(({ kind, ownerId }) => DISCUSSED.has(kind) && mayHaveFeature(ctx, 'summaries', ownerId))
      .map(change => [change.itemId, change] as const),
  )
  if (changed.size === 0) return
  const keys = Array.from(changed.values(), ({ ownerId, itemId }) => sql`(${ownerId}::uuid, ${itemId}::uuid)`)
  const { rows } = await sql<{ ownerId: string; itemId: string }>`
    select i.owner_id as "ownerId", i.id as "itemId" from items.items i
    join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
    where (i.owner_id, i.id) in (${sql.join(keys)}) and ${ownerFeature('summaries')}
  `.execute(ctx.db)
  const { delay_seconds: delay } = ctx.config(summariesConfig)
  for (const item of rows) await summarizeSoon(ctx, item, delay)
})

/** SQL of the summary of an item `i`, with where it comes from; null where there is none. */
export const summaryJson = sql`select json_build_object('detail_summary', s.summary, 'detail_summary_source', json_strip_nulls(json_build_object(
    'provider', s.provider, 'model', s.model, 'instead_of', s.instead_of, 'discussions', s.discussions, 'generated_at', ${iso('s.generated_at')})))
  from summaries.summaries s where s.owner_id = i.owner_id and s.item_id = i.id`

export const summarySource = Type.Object(
  {
    provider: Type.String(),
    model: Type.Optional(Type.String()),
    instead_of: Type.Optional(Type.String({ description: 'The provider that did not answer.' })),
    discussions: Type.Integer({ description: 'How many it was made from.' }),
    generated_at: Type.String(),
  },
  { description: 'Who made detail_summary, and when.' },
)

const summary = itemFields({
  when: 'single',
  summary: 'detail_summary',
  fields: { detail_summary: Type.String(), detail_summary_source: summarySource },
  // Of an item without a summary, as most are, nobody asks whether the feature is on.
  sql: sql`${summaryJson} and case when s.item_id is not null then ${ownerFeature('summaries')} end`,
})

/** Everything that summaries add to items. */
export const onItems = [followDiscussions, summary]
