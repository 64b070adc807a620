import { noSql, sql, type ReadContext } from 'tasuki/plugin'
import { visible } from '../../projects/index.ts'
import { quantize } from '../embedding/binary-quantization.ts'
import type { QueryVector } from '../points.ts'
import { modelKey, vectorType } from '../embedding/vector-store.repository.ts'
import type { RankedTexts, Ranking } from './full-text.repository.ts'
import { joinItem, type Request } from './request.repository.ts'

/** Maximum number of neighbours to rank. */
const NEIGHBOURS = 100

/**
 * Ranks neighbours by cosine similarity, which must be finite: NaN sorts above every number. The last expression is `nearest` with
 * owner_id, item_id, score and place.
 */
export function nearest(neighbours: Ranking, { floor }: QueryVector): Ranking {
  return sql`
    ${neighbours},
    nearest as (
      select n.owner_id, n.item_id, n.score, row_number() over (order by n.score desc, n.item_id desc)::int as place
      from neighbours n where n.score > ${floor} and n.score < 'Infinity')`
}

/** Finds neighbours by pgvector, which scans its index until enough of them belong to the caller and match the filter. */
export function nearestInIndex(ctx: ReadContext, request: Request, { provider, vector }: QueryVector): Ranking {
  const dims = vector.length
  const type = sql.raw(vectorType(dims))
  // Phrases, and words within OR or NOT, are matched against the document.
  const document = request.joined
    ? sql.raw('join search.documents d on d.owner_id = i.owner_id and d.item_id = i.id')
    : noSql
  const distance = sql`(v.embedding::${type}) <=> ${`[${vector.join(',')}]`}::${type}`
  return sql`
    settings as materialized (
      select set_config('hnsw.iterative_scan', 'strict_order', true), set_config('hnsw.ef_search', ${String(NEIGHBOURS)}, true)),
    neighbours as (
      select n.owner_id, n.item_id, 1 - n.distance as score from settings cross join lateral (
        select v.owner_id, v.item_id, ${distance} as distance
        from search.vectors v ${joinItem(request, 'v', document)}
        where ${visible(ctx, 'v')} and v.dims = ${sql.lit(dims)} and v.model = ${modelKey(provider, 'pgvector')}
        order by ${distance} limit ${NEIGHBOURS}) n)`
}

/** Finds neighbours without an extension: compares the codes of all visible texts, then the vectors of the nearest. */
export function nearestTexts({ from, seen, join, ...texts }: RankedTexts, { provider, vector }: QueryVector): Ranking {
  const id = sql.ref(`d.${texts.id}`)
  // Only nonzero values count; some models have few of them.
  const parts = Array.from(vector, (value, n) => ({ value, place: n + 1 })).filter(({ value }) => value !== 0)
  const places = `{${parts.map(({ place }) => place).join(',')}}`
  const values = `{${parts.map(({ value }) => value).join(',')}}`
  return sql`
    near as materialized (
      select d.owner_id, ${id} as item_id, d.vector
      from ${from} d ${join}
      where ${seen} and d.model = ${modelKey(provider, 'exact')}
      order by bit_count(d.code # ${quantize(vector)}::bit varying), ${id} desc limit ${NEIGHBOURS}),
    neighbours as (
      select n.owner_id, n.item_id, (
        select sum(v.vector[u.place] * u.value)::float8
        from (select n.vector || '{}'::real[] as vector offset 0) v, unnest(${places}::int[], ${values}::real[]) as u (place, value)) as score
      from near n)`
}
