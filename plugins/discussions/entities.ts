import { defineTable, p, timestamps, type TablesOf } from 'tasuki/entities'
import { recordOfItem } from '../items/entities.ts'

const DiscussionSchema = defineTable('discussions.discussions', {
  properties: {
    ...recordOfItem,
    body: p.text(),
    kind: p.enum(['decision', 'fact', 'progress'] as const).default('progress'),
    authorId: p.uuid(),
    /** Whether a person, an assistant or an agent wrote it; `imported` if it came from a file. */
    authorKind: p.text(),
    /** The author of an imported comment as named in the file; `authorId` is the user who imported it. */
    authorName: p.text().nullable(),
    ...timestamps,
  },
  indexes: [{ name: 'discussions_item', properties: ['ownerId', 'item', 'id'] }],
})

export const entities = [DiscussionSchema]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'discussions', typeof entities> {}
}
