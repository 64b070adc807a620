import { defineTool, sql, Type } from 'tasuki/plugin'
import { itemRef, readWithItem } from '../../items/index.ts'
import { step, stepJson, type Step } from '../step.ts'

export const checklistList = defineTool({
  name: 'checklist_list',
  class: 'R',
  title: 'List checklist',
  summary: 'Lists the checklist steps of an item in their order.',
  rank: 220,
  rows: 'checklist',
  input: Type.Object({ item_ref: itemRef() }, { additionalProperties: false }),
  output: Type.Object({ checklist: Type.Array(step), done: Type.Integer(), total: Type.Integer() }),
  async run(ctx, { item_ref: ref }) {
    const { steps } = await readWithItem<{ steps: Step[] | null }>(
      ctx,
      ref,
      sql`(select jsonb_agg(${stepJson('c')} order by c.position, c.id) from checklist.steps c
        where c.owner_id = i.owner_id and c.item_id = i.id) as steps`,
    )
    const checklist = steps ?? []
    return { checklist, done: checklist.filter(each => each.done).length, total: checklist.length }
  },
})
