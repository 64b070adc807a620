import { sql, type RawBuilder, type ReadContext } from 'tasuki/plugin'
import { itemJoins } from '../../items/index.ts'
import { keyColumn, visible } from '../../projects/index.ts'
import type { QueryVector } from '../embedding/provider.ts'
import { storeOf, type VectorStore } from '../embedding/store.ts'
import type { Mode } from '../points.ts'
import { beginning, markerFor } from '../text/snippet.ts'
import { readCursor, writeCursor, type Cursor, type Shown } from './cursor.ts'
import { found } from './found.ts'
import { rankTexts, type Ranking } from './full-text.ts'
import { nearestInIndex, nearestTexts } from './nearest.ts'
import { joinItem, type Request } from './request.ts'

export interface ItemSearch {
  readonly request: Request
  readonly mode: Mode
  readonly vector: QueryVector | null
  readonly limit: number
  readonly cursor: string | undefined
  /** What a cursor belongs to. */
  readonly search: string
}

export interface ItemHit {
  readonly ref: string
  readonly type: string
  readonly title: string
  readonly status: string
  readonly snippet?: string
  readonly score?: number
}
export interface ItemHits {
  readonly items: ItemHit[]
  readonly next_cursor: string | null
  readonly warnings: string[]
}

/** Code points of a body that snippets are made from. */
const READ = 20_000

interface Row extends Shown {
  readonly itemId: string
  readonly ref: string
  readonly type: string
  readonly title: string
  readonly status: string
  readonly detail: string
  readonly score: number | null
  readonly whole: boolean | null
}

/** Searches items, in one statement. */
export async function searchItems(ctx: ReadContext, search: ItemSearch): Promise<ItemHits> {
  const { request, limit } = search
  const me = ctx.actor.userId
  const cursor = search.cursor === undefined ? null : readCursor(search.cursor, search.search, me)
  if (request.words.length === 0) return filteredItems(ctx, search, cursor)

  const warnings: string[] = []
  const shown = cursor?.kind === 'shown' ? cursor.items : []
  const ranking = rankingOf(ctx, search, search.vector ? await storeOf(ctx) : 'exact')
  const { rows } = await sql<Row>`
    with ${ranking}
    select ${columnsOf(ctx)}, r.score::float8 as score, r.whole
    from found r join items.items i on i.owner_id = r.owner_id and i.id = r.item_id ${itemJoins}
    ${shown.length === 0 ? sql`` : sql`where (i.owner_id, i.number) not in (${shownRows(shown)})`}
    order by r.place limit ${limit + 1}
  `.execute(ctx.db)
  const page = rows.slice(0, limit)
  if (search.mode === 'fulltext' && page.some(row => row.whole === false))
    warnings.push('Few items have all words: those after them have some.')
  return {
    items: hitsOf(page, request),
    next_cursor:
      rows.length > limit ? writeCursor({ kind: 'shown', items: [...shown, ...page] }, search.search, me) : null,
    warnings,
  }
}

function rankingOf(ctx: ReadContext, { mode, request, vector }: ItemSearch, store: VectorStore): Ranking {
  const documents = {
    from: sql`search.documents`,
    id: 'item_id',
    seen: visible(ctx, 'd'),
    join: joinItem(request, 'd'),
  }
  return found(mode, vector, {
    byWords: rankTexts(documents, request.words, request.all),
    neighbours: query => (store === 'pgvector' ? nearestInIndex(ctx, request, query) : nearestTexts(documents, query)),
  })
}

const columnsOf = (
  ctx: ReadContext,
) => sql`i.owner_id as "ownerId", i.id as "itemId", i.number, ${keyColumn(ctx, 'p')} || '#' || i.number as ref, i.type, i.title, s.name as status,
  left(i.detail, ${sql.lit(READ)}) as detail`

function shownRows(shown: readonly Shown[]): RawBuilder<unknown> {
  const rows = JSON.stringify(shown.map(({ ownerId, number }) => ({ owner_id: ownerId, number })))
  return sql`select owner_id, number from jsonb_to_recordset(${rows}::jsonb) as shown (owner_id uuid, number int)`
}

/** Without words there is nothing to rank by: newest first. */
async function filteredItems(
  ctx: ReadContext,
  { request, limit, search }: ItemSearch,
  cursor: Cursor | null,
): Promise<ItemHits> {
  const { rows } = await sql<Row>`
    select ${columnsOf(ctx)}
    from items.items i ${itemJoins} left join search.documents d on d.owner_id = i.owner_id and d.item_id = i.id
    where ${visible(ctx, 'i')} and ${request.filter} ${cursor?.kind === 'after' ? sql`and i.id < ${cursor.itemId}` : sql``}
    order by i.id desc limit ${limit + 1}
  `.execute(ctx.db)
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    items: hitsOf(page, request),
    next_cursor:
      last && rows.length > limit
        ? writeCursor({ kind: 'after', itemId: last.itemId }, search, ctx.actor.userId)
        : null,
    warnings: [],
  }
}

function hitsOf(rows: readonly Row[], { words }: Request): ItemHit[] {
  const marker = markerFor(words)
  return rows.map(({ ref, type, title, status, detail, score }) => {
    const snippet = marker.mark(detail) ?? marker.mark(title) ?? beginning(detail)
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
