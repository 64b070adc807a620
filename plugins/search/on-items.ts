import { itemChanges } from '../items/points.ts'
import { readTexts, writeDocuments, type ItemText } from './document.repository.ts'
import { enqueueEmbedding } from './jobs.ts'

/** Changes that make the document of an item out of date. */
const DOCUMENT_CHANGES = new Set(['item.created', 'item.title.changed', 'item.detail.changed', 'item.moved'])

/** Updates documents with their items, in the same transaction. */
export const followItems = itemChanges(async (ctx, changes) => {
  const changed = new Map(
    changes.filter(({ kind }) => DOCUMENT_CHANGES.has(kind)).map(change => [change.itemId, change] as const),
  )
  if (changed.size === 0) return
  const known: ItemText[] = []
  const unknown: { ownerId: string; itemId: string }[] = []
  for (const { ownerId, itemId, projectId, after } of changed.values()) {
    if (after) known.push({ ownerId, itemId, projectId, title: after.title, detail: after.detail })
    else unknown.push({ ownerId, itemId })
  }
  const texts = [...known, ...(unknown.length > 0 ? await readTexts(ctx, unknown) : [])]
  if (await writeDocuments(ctx, texts)) await enqueueEmbedding(ctx)
})
