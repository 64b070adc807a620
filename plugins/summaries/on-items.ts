import { Type } from 'tasuki/plugin'
import { itemChanges, itemFields } from '../items/points.ts'
import { mayHaveFeature } from '../projects/index.ts'
import { summariesConfig } from './config.ts'
import { summarizeSoon } from './generate.ts'
import { filterEnabled, summaryField } from './summary.repository.ts'

/** Changes that make a summary out of date. */
const DISCUSSED = new Set(['discussion.created', 'discussion.edited', 'discussion.deleted'])

const followDiscussions = itemChanges(async (ctx, changes) => {
  const changed = new Map(
    changes
      .filter(({ kind, ownerId }) => DISCUSSED.has(kind) && mayHaveFeature(ctx, 'summaries', ownerId))
      .map(change => [change.itemId, change] as const),
  )
  if (changed.size === 0) return
  const enabled = await filterEnabled(ctx, [...changed.values()])
  const { delay_seconds: delay } = ctx.config(summariesConfig)
  for (const item of enabled) await summarizeSoon(ctx, item, delay)
})

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
  sql: summaryField,
})

export const onItems = [followDiscussions, summary]
