import { writeCursor, type ReadContext } from 'tasuki/plugin'
import { renderBeginning, markerFor } from '../text/snippet.ts'
import { openCursor, toBytes, type Cursor } from './cursor.ts'
import { readFiltered, readRanked, type ItemHitRow, type ItemSearch } from './item.repository.ts'
import type { Request } from './request.repository.ts'

export interface ItemHit {
  readonly ref: string
  readonly type: string
  readonly title: string
  readonly status: string
  /** Part of the text, with the words that were found in «». */
  readonly snippet?: string
  readonly score?: number
}
export interface ItemHits {
  readonly items: ItemHit[]
  readonly next_cursor: string | null
  readonly warnings: string[]
}

/** Searches items, in one statement. */
export async function searchItems(ctx: ReadContext, search: ItemSearch): Promise<ItemHits> {
  const { request, limit } = search
  const cursor = search.cursor === undefined ? null : openCursor(ctx, search.cursor, search.search)
  if (request.words.length === 0) return listFiltered(ctx, search, cursor)

  const warnings: string[] = []
  const shown = cursor?.kind === 'shown' ? cursor.items : []
  const rows = await readRanked(ctx, search, shown, limit + 1)
  const page = rows.slice(0, limit)
  if (search.mode === 'fulltext' && page.some(row => row.whole === false))
    warnings.push('Not every item here has all words.')
  return {
    items: toHits(page, request),
    next_cursor: rows.length > limit ? cursorOf(ctx, search, { kind: 'shown', items: [...shown, ...page] }) : null,
    warnings,
  }
}

function cursorOf(ctx: ReadContext, { search }: ItemSearch, cursor: Cursor): string {
  return writeCursor(ctx, search, toBytes(cursor, ctx.actor.userId))
}

/** Without words there is nothing to rank by: newest first. */
async function listFiltered(ctx: ReadContext, itemSearch: ItemSearch, cursor: Cursor | null): Promise<ItemHits> {
  const { request, limit } = itemSearch
  const rows = await readFiltered(ctx, itemSearch, cursor?.kind === 'after' ? cursor.itemId : undefined, limit + 1)
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    items: toHits(page, request),
    next_cursor: last && rows.length > limit ? cursorOf(ctx, itemSearch, { kind: 'after', itemId: last.itemId }) : null,
    warnings: [],
  }
}

function toHits(rows: readonly ItemHitRow[], { words }: Request): ItemHit[] {
  const marker = markerFor(words)
  return rows.map(({ ref, type, title, status, detail, score }) => {
    const snippet = marker.mark(detail) ?? marker.mark(title) ?? renderBeginning(detail)
    return {
      ref,
      type,
      title,
      status,
      ...(snippet !== '' && { snippet }),
      ...(score != null && { score: Number(score.toPrecision(4)) }),
    }
  })
}
