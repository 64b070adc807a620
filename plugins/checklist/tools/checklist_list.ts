import { defineTool, pageOffset, Type } from 'tasuki/plugin'
import { itemRef } from '../../items/index.ts'
import { readSteps } from '../step.repository.ts'
import { step } from '../step.ts'

export const checklistList = defineTool({
  name: 'checklist_list',
  class: 'R',
  title: 'List checklist',
  summary: 'Lists the checklist steps of an item in their order.',
  rank: 220,
  rows: 'checklist',
  input: { item_ref: itemRef(), offset: pageOffset },
  output: { checklist: Type.Array(step), done: Type.Integer(), total: Type.Integer() },
  async run(ctx, { item_ref: ref, offset = 0 }) {
    const steps = await readSteps(ctx, ref)
    return { checklist: steps.slice(offset), done: steps.filter(each => each.done).length, total: steps.length }
  },
})
