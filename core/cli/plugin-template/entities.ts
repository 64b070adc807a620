import { belongsTo, defineTable, ownedKey, p, type TablesOf } from 'tasuki/entities'
import { Item } from 'tasuki/plugins/items/entities'

/** Every key starts with the owner, so that rows of different owners cannot reference each other. */
export const Remark = defineTable('example.remarks', {
  properties: {
    ...ownedKey,
    item: () => belongsTo(Item, 'item_id'),
    text: p.text(),
    createdAt: p.datetime(),
  },
  indexes: [{ name: 'remarks_item', properties: ['ownerId', 'item', 'id'] }],
})

export const entities = [Remark]

/** Adds `example.remarks` to the types of `ctx.db`. */
declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'example', typeof entities> {}
}
