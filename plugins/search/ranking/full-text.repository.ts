import { sql, type RawBuilder } from 'tasuki/plugin'
import { termsOf, type Word } from '../text/words.ts'

/** A list of common table expressions; the last one, `ranked`, has owner_id, item_id, whole, score and place (1 = best). */
export type Ranking = RawBuilder<unknown>

/** Texts that can be ranked; each has a vector made by `textVector`, under a GIN index that leads with the owner. */
export interface RankedTexts {
  /** A table, or a select in parentheses, with owner_id and tsv, and code, vector and model for rankings by vectors; its alias is `d`. */
  readonly from: RawBuilder<unknown>
  /** Name of its id column, which the ranking calls item_id; newer ones are higher. */
  readonly id: string
  /** Keeps what the caller may see. */
  readonly seen: RawBuilder<boolean>
  /** Joins that drop what does not meet the rest of the query. */
  readonly join: RawBuilder<unknown>
}

/** Results of a search, over all pages. */
export const RESULTS_MAX = 200
/** When fewer documents have all words, those that have some follow. */
const FEW = 5
/** Documents that are ranked: of more matches those with the rarest terms, then the newest. */
const CANDIDATES = 3000
/** Documents in which terms are counted, and how many terms choose candidates, where not all documents can be ranked. */
const COUNTED = 2000
const CHOOSING_TERMS = 16

/** BM25 has 1. Neighbouring pairs of one word are not independent, and a rare one is more specific than several common ones. */
const RARITY = 1.5

/**
 * Ranks like BM25: a term counts by its weight and by how rare it is in the documents that the caller sees. A title counts more than a
 * body, each repetition counts less, and long texts need more of them. It is one statement over a bounded number of rows. Hits are not
 * joined to a table of their size: without statistics the planner would estimate one row for each and use a nested loop.
 */
export function rankTexts(texts: RankedTexts, words: readonly Word[], all: string | null): Ranking {
  const { from, seen, join } = texts
  const id = sql.ref(`d.${texts.id}`)
  const terms = JSON.stringify(termsOf(words).map((term, n) => ({ n, ...term })))
  // Without a word that every result must have, the filter alone decides what is one.
  const found = all === null ? sql`` : sql`and d.tsv @@ (select query from sought)`
  return sql`
    total as materialized (
      select count(*)::int as documents from (select from ${from} d where ${seen} limit 10000) m),
    terms as materialized (
      select t.n, t.query::tsquery as query, t.weight, case when o.documents > ${sql.lit(CANDIDATES)} then (
        select count(*)::int from (
          select from ${from} d where ${seen} and d.tsv @@ t.query::tsquery limit ${sql.lit(COUNTED + 1)}) m) end as df
      from jsonb_to_recordset(${terms}::jsonb) as t (n int, query text, weight float8) cross join total o),
    sought as materialized (
      select string_agg(c.query::text, ' | ')::tsquery as query from (
        select t.query, t.df, row_number() over rarest as place, sum(t.df) over rarest as seen
        from terms t where t.df > 0 or t.df is null window rarest as (order by t.df, t.n)) c
      where c.df is null or c.place = 1 or (c.seen <= ${sql.lit(COUNTED)} and c.place <= ${sql.lit(CHOOSING_TERMS)})),
    hits as materialized (
      select d.owner_id, ${id} as item_id, d.tsv || ''::tsvector as tsv, ${all === null ? sql`true` : sql`d.tsv @@ ${all}::tsquery`} as whole
      from ${from} d ${join}
      where ${seen} ${found}
      order by ${id} desc limit ${sql.lit(CANDIDATES)}),
    matches as materialized (
      select h.owner_id, h.item_id, h.whole, length(h.tsv) as length, t.n, ts_rank('{0.7,0.7,0.7,1}', h.tsv, t.query) as rank
      from hits h left join terms t on h.tsv @@ t.query),
    worths as materialized (
      select array_agg(t.weight * power(ln(1 + (greatest(o.documents, c.df) - c.df + 0.5) / (c.df + 0.5)), ${sql.lit(RARITY)}) order by t.n) as worth
      from terms t cross join total o left join (select m.n, count(*) as df from matches m group by m.n) f on f.n = t.n
      cross join lateral (select coalesce(t.df, f.df, 0) as df) c),
    scored as materialized (
      select m.owner_id, m.item_id, m.whole,
        coalesce(sum(m.rank * w.worth[m.n + 1]), 0) / (1 + ln(greatest(m.length, 1))) as score
      from matches m cross join worths w group by m.owner_id, m.item_id, m.whole, m.length),
    ranked as (
      select c.owner_id, c.item_id, c.whole, c.score,
        row_number() over (order by c.whole desc, c.score desc, c.item_id desc)::int as place
      from scored c where c.whole or (select count(*) from scored w where w.whole) < ${sql.lit(FEW)}
      order by place limit ${sql.lit(RESULTS_MAX)})`
}
