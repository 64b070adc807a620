import { defineTool, iso, sql, Type } from 'tasuki/plugin'
import { itemRef, requireItem } from 'tasuki/plugins/items'

export const remarksList = defineTool({
  name: 'example_remarks_list',
  class: 'R',
  title: 'List remarks',
  summary: 'Lists the remarks on an item, oldest first.',
  input: Type.Object({ item_ref: itemRef() }, { additionalProperties: false }),
  output: Type.Object({
    remarks: Type.Array(Type.Object({ id: Type.String(), text: Type.String(), created_at: Type.String() })),
  }),
  async run(ctx, { item_ref: ref }) {
    const item = await requireItem(ctx, ref)
    const { rows } = await sql`
      select r.id, r.text, ${iso('r.created_at')} as created_at
      from example.remarks r where r.owner_id = ${item.ownerId} and r.item_id = ${item.id} order by r.id
    `.execute(ctx.db)
    return { remarks: rows }
  },
})
