import { sql } from 'tasuki/plugin'
import type { KindRequest, QueryVector } from '../points.ts'
import { K, rankTexts, RESULTS_MAX, type RankedTexts, type Ranking } from './full-text.repository.ts'
import { nearest, nearestTexts } from './nearest.repository.ts'

/**
 * Ranks texts by words, by vectors or by both, in the same way as items. The last expression is `found` with owner_id, item_id, whole,
 * score and place; `whole` is null if words were not used.
 */
export function findTexts(texts: RankedTexts, { words, mode, vector }: KindRequest): Ranking {
  return buildRanking(mode, vector, {
    byWords: rankTexts(texts, words, vector ? 'fulltext' : mode),
    neighbours: query => nearestTexts(texts, query),
  })
}

/** Combines the two rankings into one query, by mode. */
export function buildRanking(
  mode: KindRequest['mode'],
  query: QueryVector | null,
  ranks: { readonly byWords: Ranking; neighbours(query: QueryVector): Ranking },
): Ranking {
  if (!query) return sql`${ranks.byWords}, found as (select * from ranked)`
  const byVectors = nearest(ranks.neighbours(query), query)
  if (mode !== 'hybrid') return sql`${byVectors}, found as (select n.*, null::boolean as whole from nearest n)`
  return fuseRankings(ranks.byWords, byVectors, query.provider.weight ?? 1)
}

/** Fuses full text and vectors by reciprocal rank: each ranking contributes weight / (60 + place). */
function fuseRankings(byWords: Ranking, byVectors: Ranking, weight: number): Ranking {
  return sql`
    ${byWords},
    ${byVectors},
    fused as (
      select owner_id, item_id, f.whole,
        coalesce(1.0 / (${sql.lit(K)} + f.place), 0) + coalesce(${weight}::float8 / (${sql.lit(K)} + n.place), 0) as score,
        coalesce(f.place, ${sql.lit(RESULTS_MAX)} + n.place) as tie
      from ranked f full join nearest n using (owner_id, item_id)),
    found as (select u.*, row_number() over (order by u.score desc, u.tie)::int as place from fused u order by place limit ${RESULTS_MAX})`
}
