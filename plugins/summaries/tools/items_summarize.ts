import { defineTool, Type } from 'tasuki/plugin'
import { itemRef, requireItem } from '../../items/index.ts'
import { featureDisabled } from '../../projects/index.ts'
import { summarizeSoon } from '../generate.ts'
import { summarySource } from '../on-items.ts'
import { providerOf } from '../provider/choose.ts'
import { readPresent } from '../summary.repository.ts'

export const itemsSummarize = defineTool({
  name: 'items_summarize',
  class: 'W',
  title: 'Summarize item',
  summary: "Makes an item's detail_summary anew from its discussions, in the background: read it later with items_get.",
  rank: 620,
  input: { item_ref: itemRef() },
  output: {
    item_ref: Type.String(),
    queued: Type.Boolean({ description: 'False where there is nothing to summarize.' }),
    provider: Type.String({ description: 'Who will make it.' }),
    discussions: Type.Integer(),
    changed: Type.Array(Type.String(), { description: 'Nothing yet: the summary comes later.' }),
    detail_summary: Type.Optional(Type.String()),
    detail_summary_source: Type.Optional(summarySource),
    warnings: Type.Optional(Type.Array(Type.String())),
  },
  async run(ctx, { item_ref: ref }) {
    const { ownerId, id, number, project } = await requireItem(ctx, ref, { write: true })
    const item = { ownerId, itemId: id }
    const { enabled, discussions, summary } = await readPresent(ctx, item)
    if (!enabled) throw featureDisabled('summaries', project.key)
    // Deleted discussions require the deletion of their summary.
    const queued = discussions > 0 || summary !== null
    if (queued) await summarizeSoon(ctx, item, 0)
    return {
      item_ref: `${project.key}#${number}`,
      queued,
      provider: providerOf(ctx).name,
      discussions,
      changed: [],
      ...(summary as { detail_summary: string; detail_summary_source: never } | null),
      ...(discussions === 0 && { warnings: ['There are no discussions; discussions_create adds one.'] }),
    }
  },
})
