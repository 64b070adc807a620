import { defineTable, p, type TablesOf } from 'tasuki/entities'
import { recordOfItem } from '../items/entities.ts'

const StepSchema = defineTable('checklist.steps', {
  properties: {
    ...recordOfItem,
    content: p.text(),
    done: p.boolean().default(false),
    position: p.integer(),
    createdAt: p.datetime(),
    doneAt: p.datetime().nullable(),
  },
  indexes: [{ name: 'steps_item', properties: ['ownerId', 'item', 'position'] }],
})

export const entities = [StepSchema]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'checklist', typeof entities> {}
}
