import { defineTool, recordId, ToolError, Type } from 'tasuki/plugin'
import { itemRef, requireItem } from 'tasuki/plugins/items'

/** Uses MikroORM's unit of work: changed entities are flushed before the commit. */
export const remarksEdit = defineTool({
  name: 'example_remarks_edit',
  class: 'W',
  title: 'Edit remark',
  summary: 'Changes the text of a remark. Use example_remarks_list to find its id. Returns the remark.',
  input: {
    item_ref: itemRef(),
    id: recordId('Id of the remark.'),
    text: Type.String({ minLength: 1, maxLength: 500, description: 'The new text.' }),
  },
  output: {
    remark: Type.Object({ id: Type.String(), text: Type.String() }),
  },
  async run(ctx, { item_ref: ref, id, text }) {
    const item = await requireItem(ctx, ref, { write: true })
    // Imported here, because entities load the ORM.
    const [em, { Remark }] = [await ctx.em(), await import('../entities.ts')]
    const remark = await em.findOne(Remark, { ownerId: item.ownerId, id, item: { id: item.id } })
    if (!remark) {
      throw new ToolError('not_found', `${ref} has no remark ${id}.`, {
        field: 'id',
        hint: 'Give an id that example_remarks_list returns for this item.',
      })
    }
    remark.text = text
    return { remark: { id, text } }
  },
})
