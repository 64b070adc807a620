import { sql } from 'tasuki/plugin'
import { itemChanges } from '../items/points.ts'
import { itemText, writeDocuments, type ItemText } from './documents.ts'
import { embedWritten } from './jobs.ts'

/** Changes after which the texts of an item are others. */
const TEXT_CHANGES = new Set(['item.created', 'item.title.changed', 'item.detail.changed', 'item.project.changed'])

/** Keeps documents in step with items, in the same transaction. */
export const followItems = itemChanges(async (ctx, changes) => {
  const changed = new Map(
    changes.filter(({ kind }) => TEXT_CHANGES.has(kind)).map(change => [change.itemId, change] as const),
  )
  if (changed.size === 0) return
  const ids = Array.from(changed.values(), ({ ownerId, itemId }) => sql`(${ownerId}::uuid, ${itemId}::uuid)`)
  const { rows } = await sql<ItemText>`
    select ${itemText} from items.items i where (i.owner_id, i.id) in (${sql.join(ids)})
  `.execute(ctx.db)
  if (await writeDocuments(ctx, rows)) await embedWritten(ctx)
})
