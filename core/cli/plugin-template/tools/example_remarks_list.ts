import { defineTool, Type } from 'tasuki/plugin'
import { itemRef, requireItem } from 'tasuki/plugins/items'
import { listRemarks } from '../remark.repository.ts'

export const remarksList = defineTool({
  name: 'example_remarks_list',
  class: 'R',
  title: 'List remarks',
  summary: 'Lists the remarks on an item, oldest first.',
  input: { item_ref: itemRef() },
  output: {
    remarks: Type.Array(Type.Object({ id: Type.String(), text: Type.String(), created_at: Type.String() })),
  },
  async run(ctx, { item_ref: ref }) {
    const item = await requireItem(ctx, ref)
    return { remarks: await listRemarks(ctx, item) }
  },
})
