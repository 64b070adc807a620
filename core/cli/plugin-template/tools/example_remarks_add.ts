import { defineTool, Type } from 'tasuki/plugin'
import { itemRef, requireItem } from 'tasuki/plugins/items'
import { insertRemark } from '../remark.repository.ts'

export const remarksAdd = defineTool({
  name: 'example_remarks_add',
  class: 'W',
  title: 'Add remark',
  summary: 'Adds a remark to an item. Use example_remarks_list to read them. Returns the remark.',
  input: {
    item_ref: itemRef(),
    text: Type.String({ minLength: 1, maxLength: 500, description: 'The remark.' }),
  },
  output: {
    remark: Type.Object({ id: Type.String(), item_ref: Type.String(), text: Type.String() }),
  },
  async run(ctx, { item_ref: ref, text }) {
    const item = await requireItem(ctx, ref, { write: true })
    const id = await insertRemark(ctx, item, text)
    return { remark: { id, item_ref: `${item.project.key}#${item.number}`, text } }
  },
})
