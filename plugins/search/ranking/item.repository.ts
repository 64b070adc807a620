import { compare, recordset, sql, type Condition, type Expression, type ReadContext } from 'tasuki/plugin'
import { itemJoins } from '../../items/index.ts'
import { access, refColumn, visible } from '../../projects/index.ts'
import { storeOf } from '../embedding/vector-store.repository.ts'
import type { KindRequest } from '../points.ts'
import type { Shown } from './cursor.ts'
import { rankTexts, type RankedTexts, type Ranking } from './full-text.repository.ts'
import { nearestInIndex, nearestTexts } from './nearest.repository.ts'
import { buildRanking } from './ranking.repository.ts'
import { joinItem, type Request } from './request.repository.ts'

export interface ItemSearch extends Omit<KindRequest, 'words'> {
  readonly request: Request
  readonly cursor: string | undefined
  /** Identifies the search that the cursor belongs to. */
  readonly search: string
}

/** Code points of a body that are searched for snippets. */
const MAX_BODY = 20_000

export interface ItemHitRow extends Shown {
  readonly itemId: string
  readonly ref: string
  readonly type: string
  readonly title: string
  readonly status: string
  readonly detail: string
  readonly score: number | null
  readonly whole: boolean | null
}

/** Reads the best items, without those on earlier pages. */
export async function readRanked(
  ctx: ReadContext,
  search: ItemSearch,
  shown: readonly Shown[],
  limit: number,
): Promise<readonly ItemHitRow[]> {
  const ranking = await rankItems(ctx, search)
  const { named } = search.request
  const earlier = shown.map(({ ownerId, number }) => ({ owner_id: ownerId, number }))
  const { rows } = await sql<ItemHitRow>`
    with ${ranking}
    select ${columnsOf(ctx)}, r.score::float8 as score, r.whole
    from ${named ? namedFirst(ctx, named) : sql.table('found')} r join items.items i on i.owner_id = r.owner_id and i.id = r.item_id ${itemJoins}
    where (i.owner_id, i.number) not in (select owner_id, number from ${recordset('shown', { owner_id: 'uuid', number: 'int' }, earlier)})
    order by r.place limit ${limit}
  `.execute(ctx.db)
  return rows
}

/** Returns the ranking with the items that the query names before the others. */
function namedFirst(ctx: ReadContext, named: Condition): Expression<unknown> {
  return sql`(
    with named as materialized (
      select i.owner_id, i.id as item_id from items.items i ${itemJoins} where ${visible(ctx, 'i')} and i.archived_at is null and ${named})
    select owner_id, item_id, null as score, true as whole, 0 as place from named
    union all select owner_id, item_id, score, whole, place from found where (owner_id, item_id) not in (table named))`
}

/** Reads the items that match the filter, newest first. @param before id of the last item on the previous page */
export async function readFiltered(
  ctx: ReadContext,
  { request }: ItemSearch,
  before: string | undefined,
  limit: number,
): Promise<readonly ItemHitRow[]> {
  const { rows } = await sql<ItemHitRow>`
    select ${columnsOf(ctx)}
    from items.items i ${itemJoins} left join search.documents d on d.owner_id = i.owner_id and d.item_id = i.id
    where ${visible(ctx, 'i')} and ${request.filter} and ${before === undefined ? sql.lit(true) : compare('i.id', '<', before)}
    order by i.id desc limit ${limit}
  `.execute(ctx.db)
  return rows
}

async function rankItems(ctx: ReadContext, { mode, request, vector }: ItemSearch): Promise<Ranking> {
  const store = vector ? await storeOf(ctx) : 'exact'
  const owners = [ctx.actor.userId, ...access(ctx).shared.map(share => share.ownerId)]
  const documents: RankedTexts = {
    from: sql.table('search.documents'),
    id: 'item_id',
    seen: visible(ctx, 'd'),
    join: joinItem(request, 'd'),
    length: sql.raw('coalesce(d.length, length(d.tsv))'),
    words: compare('w.owner_id', 'in', [...new Set(owners)]),
  }
  return buildRanking(mode, vector, {
    byWords: rankTexts(documents, request.words, vector ? 'fulltext' : mode),
    neighbours: query => (store === 'pgvector' ? nearestInIndex(ctx, request, query) : nearestTexts(documents, query)),
  })
}

const columnsOf = (
  ctx: ReadContext,
) => sql`i.owner_id as "ownerId", i.id as "itemId", i.number, ${refColumn(ctx)} as ref, i.type, i.title, s.name as status,
  left(i.detail, ${sql.lit(MAX_BODY)}) as detail`
