import { defineTool, sql, Type } from 'tasuki/plugin'
import { itemRef, requireItem } from '../../items/index.ts'
import { featureDisabled, ownerFeature } from '../../projects/index.ts'
import { summarizeSoon } from '../generate.ts'
import { summaryJson, summarySource } from '../on-items.ts'
import { providerOf } from '../provider/choose.ts'

const Input = Type.Object({ item_ref: itemRef() }, { additionalProperties: false })

interface Row {
  readonly enabled: boolean
  readonly discussions: number
  readonly summary: { readonly detail_summary: string; readonly detail_summary_source: object } | null
}

export const itemsSummarize = defineTool({
  name: 'items_summarize',
  class: 'W',
  title: 'Summarize item',
  summary: "Makes an item's detail_summary anew from its discussions, in the background: read it later with items_get.",
  rank: 620,
  input: Input,
  output: Type.Object({
    item_ref: Type.String(),
    queued: Type.Boolean({ description: 'False where there is nothing to summarize.' }),
    provider: Type.String({ description: 'Who will make it.' }),
    discussions: Type.Integer(),
    changed: Type.Array(Type.String(), { description: 'Nothing yet: the summary comes later.' }),
    detail_summary: Type.Optional(Type.String()),
    detail_summary_source: Type.Optional(summarySource),
    warnings: Type.Optional(Type.Array(Type.String())),
  }),
  async run(ctx, { item_ref: ref }) {
    const { ownerId, id, number, project } = await requireItem(ctx, ref, { write: true })
    const { rows } = await sql<Row>`
      select ${ownerFeature('summaries')} as enabled, (${summaryJson}) as summary,
        (select count(*)::int from discussions.discussions d where d.owner_id = i.owner_id and d.item_id = i.id) as discussions
      from items.items i join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
      where i.owner_id = ${ownerId} and i.id = ${id}
    `.execute(ctx.db)
    const { enabled, discussions, summary } = rows[0]!
    if (!enabled) throw featureDisabled('summaries', project.key)
    // What is left of discussions that are gone has to go too.
    const queued = discussions > 0 || summary !== null
    if (queued) await summarizeSoon(ctx, { ownerId, itemId: id }, 0)
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
