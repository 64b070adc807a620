import { sql, type RawBuilder, type WriteContext } from 'tasuki/plugin'
import { itemChanges } from '../items/points.ts'
import { itemText, writeDocuments, type ItemText } from './documents.ts'
import { embedWritten } from './jobs.ts'

/** Changes after which the document of an item is another. */
const DOCUMENT_CHANGES = new Set(['item.created', 'item.title.changed', 'item.detail.changed', 'item.moved'])

/** Keeps documents in step with items, in the same transaction. */
export const followItems = itemChanges(async (ctx, changes) => {
  const changed = new Map(
    changes.filter(({ kind }) => DOCUMENT_CHANGES.has(kind)).map(change => [change.itemId, change] as const),
  )
  if (changed.size === 0) return
  const told: ItemText[] = []
  const unknown: RawBuilder<unknown>[] = []
  for (const { ownerId, itemId, projectId, after } of changed.values()) {
    if (after) told.push({ ownerId, itemId, projectId, title: after.title, detail: after.detail })
    else unknown.push(sql`(${ownerId}::uuid, ${itemId}::uuid)`)
  }
  const texts = [...told, ...(unknown.length > 0 ? await readTexts(ctx, unknown) : [])]
  if (await writeDocuments(ctx, texts)) await embedWritten(ctx)
})

async function readTexts(ctx: WriteContext, ids: readonly RawBuilder<unknown>[]): Promise<readonly ItemText[]> {
  const { rows } = await sql<ItemText>`
    select ${itemText} from items.items i where (i.owner_id, i.id) in (${sql.join(ids)})
  `.execute(ctx.db)
  return rows
}
