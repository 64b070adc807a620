import { sql, type ReadContext } from 'tasuki/plugin'
import { fullText, RESULTS_MAX, type Ranking } from './full-text.ts'
import { nearest, type QueryVector } from './nearest.ts'
import type { Request } from './request.ts'

/** The constant of reciprocal-rank fusion: how much the first places stand out. */
const K = 60

/** Reciprocal-rank fusion of full text and vectors: each ranking gives weight / (60 + place). */
export function fused(ctx: ReadContext, request: Request, query: QueryVector): Ranking {
  const weight = query.provider.weight ?? 1
  return sql`
    ${fullText(ctx, request)},
    ${nearest(ctx, request, query)},
    fused as (
      select owner_id, item_id, f.whole,
        coalesce(1.0 / (${sql.lit(K)} + f.place), 0) + coalesce(${weight}::float8 / (${sql.lit(K)} + n.place), 0) as score,
        coalesce(f.place, ${sql.lit(RESULTS_MAX)} + n.place) as tie
      from ranked f full join nearest n using (owner_id, item_id)),
    found as (select u.*, row_number() over (order by u.score desc, u.tie)::int as place from fused u order by place limit ${RESULTS_MAX})`
}
