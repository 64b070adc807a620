import { anyOf, compare, sql, type Condition, type Expression, type RawBuilder } from 'tasuki/plugin'
import { TITLE_WEIGHT } from '../text/vector.ts'
import type { Mode } from '../points.ts'
import { termsOf, type Word } from '../text/words.ts'

/** A list of common table expressions; the last one, `ranked`, has owner_id, item_id, whole, score and place (1 = best). */
export type Ranking = Expression<unknown>

/** Texts to rank; each has a vector made by `textVector`, with a GIN index that starts with the owner. */
export interface RankedTexts {
  /** A table, or a select in parentheses, with owner_id and tsv, plus code, vector and model for vector rankings; its alias is `d`. */
  readonly from: Expression<unknown>
  /** Name of its id column, which the ranking calls item_id; higher ids are newer. */
  readonly id: string
  /** Condition for texts that the caller may see. */
  readonly seen: Condition
  /** Joins that apply the rest of the query. */
  readonly join: Expression<unknown>
  /** SQL of a text's length as counted by `indexText`; default: its number of distinct lexemes. */
  readonly length?: RawBuilder<number | null>
  /** Condition on the words `w` of the vocabulary that may be in these texts; without it, typos are not corrected. */
  readonly words?: Condition
}

/** Maximum number of results over all pages. */
export const RESULTS_MAX = 200
/** The constant of reciprocal rank fusion: the lower, the more the first places count. */
export const K = 60
/** If fewer documents contain all words of a short query, those with some of them follow. For longer queries they always do. */
const MIN_COMPLETE = 5
/** Maximum number of documents to rank: of more matches, those with the rarest terms, then the newest. */
const CANDIDATES = 3000
/** Sample size for term counts, and number of terms that select candidates, if there are too many documents to rank. */
const SAMPLE_SIZE = 2000
const CHOOSING_TERMS = 16

/** Up to this number of terms (two words, and both together), texts with all of them come first, regardless of the frequency of single terms. */
const SHORT_QUERY = 3
/** Weight of a word as it is written, beside its stem. */
const WRITTEN = 0.25
/**
 * The passage that says most of the query counts beside the whole text. Passages are twice `step` words long, and one begins at every `step`.
 * It reads positions, so it is limited to the `most` best texts, and to the first `positions` of a word.
 */
const PASSAGE = { weight: 0.6, step: 12, most: 30, positions: 32 }
/** Texts to find before a word counts as found; for one, the planner would read all texts in turn instead of the index. */
const LOOKED_AT = 100
/** Maximum number of candidates for a word with a typo. */
const NEAR_MAX = 8

/**
 * Ranks by BM25: a term counts by its weight and its rarity in the documents that the caller may see, repetitions have diminishing returns,
 * and long texts need more of them. A word as it is written counts beside its stem, and the best passage beside the text. Common words find
 * nothing by themselves: their rarity is that in the hits of the others. Hits that have only synonyms change neither this rarity nor the mean
 * length. A word without matches is read as a prefix, and then as a typo; `offset 0` makes the planner look that up once. One statement over a
 * bounded number of rows. Hits are not joined to a table of their size: without statistics the planner would estimate one row for each and
 * choose a nested loop.
 */
export function rankTexts(texts: RankedTexts, words: readonly Word[], mode: Mode = 'fulltext'): Ranking {
  const { from, seen, join } = texts
  const id = sql.ref(`d.${texts.id}`)
  const list = termsOf(words)
  const own = list.filter(({ kind }) => kind !== 'synonym')
  const widened = own.length < list.length
  const terms = JSON.stringify(list.map((term, n) => ({ n, ...term, ...term.typos })))
  // Without a required word, the filter alone decides what matches.
  const needed = list.some(term => term.needed)
  // The database counts positions of a title with weight 1: twice those of a body.
  const frequency = (query: string) =>
    sql`ts_rank_cd(${`{${`${1 / TITLE_WEIGHT},`.repeat(3)}1}`}::real[], h.tsv, ${sql.ref(query)}) * ${sql.lit(TITLE_WEIGHT)}`
  const has = (query: string) => sql`(
    select count(*) > 0 from (select from ${from} d where ${seen} and ${compare('d.tsv', '@@', sql.ref(query))} limit ${sql.lit(LOOKED_AT)}) m)`
  const hasTerms = (query: Expression<unknown>) => compare('d.tsv', '@@', query)
  return sql`
    total as materialized (
      select count(*)::int as documents from (select from ${from} d where ${seen} limit 10000) m),
    given as materialized (
      select t.n, t.kind, t.weight, t.rarity, t.k1, t.b, t.needed, t.written::tsquery as written, t.open::tsquery as open, t.head, t.tail, t.near, t.lexeme,
        t.query::tsquery as query
      from jsonb_to_recordset(${terms}::jsonb) as t (n int, kind text, query text, weight float8, rarity float8, k1 float8, b float8, needed bool,
        written text, open text, head text, tail text, near text, lexeme text)),
    terms as materialized (
      select t.n, t.kind, t.rarity, t.k1, t.b, t.needed, t.written, t.lexeme, r.query,
        case when t.kind = 'common' and o.documents > ${sql.lit(CANDIDATES)} then 0 else t.weight end as weight,
        case when t.weight > 0 and o.documents > ${sql.lit(CANDIDATES)} then (
        select count(*)::int from (
          select from ${from} d where ${seen} and d.tsv @@ r.query limit ${sql.lit(SAMPLE_SIZE + 1)}) m) end as df
      from given t cross join total o cross join lateral (
        select case when t.open is null or ${has('t.query')} then t.query when ${has('t.open')} then t.open
          when t.near is null then t.query else coalesce(${texts.words ? nearWords(texts.words) : sql.lit(null)}, t.query) end as query offset 0) r),
    sought as materialized (
      select string_agg(c.query::text, ' | ')::tsquery as query from (
        select t.query, t.df, row_number() over rarest as place, sum(t.df) over rarest as seen
        from terms t
        where t.weight > 0 and t.kind <> 'common' and (t.df > 0 or (t.df is null and t.kind <> 'adjacent'))
        window rarest as (partition by t.kind = 'synonym' order by t.df, t.n)) c
      where c.df is null or c.place = 1 or (c.seen <= ${sql.lit(SAMPLE_SIZE)} and c.place <= ${sql.lit(CHOOSING_TERMS)})),
    hits as materialized (
      select d.owner_id, ${id} as item_id, d.tsv || ''::tsvector as tsv, ${texts.length ?? sql.raw('length(d.tsv)')}::float8 as length,
        ${widened ? hasTerms(sql`(select string_agg(t.query::text, ' | ')::tsquery from terms t where t.weight > 0 and t.kind = 'word')`) : sql.lit(true)} as own,
        ${needed ? hasTerms(sql`(select string_agg('(' || t.query::text || ')', ' & ')::tsquery from terms t where t.needed)`) : sql.lit(true)} as whole
      from ${from} d ${join}
      where ${seen} and ${needed ? hasTerms(sql.raw('(select query from sought)')) : sql.lit(true)}
      order by ${id} desc limit ${sql.lit(CANDIDATES)}),
    matches as materialized (
      select h.owner_id, h.item_id, h.own, h.whole, h.length, t.n, t.k1, t.b, t.kind = 'synonym' as synonym, ${frequency('t.query')} as frequency,
        nullif(${frequency('t.written')}, 0) as written
      from hits h left join terms t on t.weight > 0 and h.tsv @@ t.query),
    worths as materialized (
      select array_agg(t.weight * ${rarityOf('c.df')} order by t.n) as worth,
        array_agg(t.weight * ${sql.lit(WRITTEN)} * ${rarityOf('c.df * f.written / f.df')} order by t.n) as worth_written, min(h.mean) as mean
      from terms t cross join total o
      left join (
        select m.n, count(*) as df, count(*) filter (where m.own) as own, count(m.written) as written from matches m group by m.n) f on f.n = t.n
      cross join (
        select count(*) filter (where h.own) as own, greatest(coalesce(avg(h.length) filter (where h.own), avg(h.length)), 1) as mean
        from hits h) h
      cross join lateral (
        select case when t.kind = 'common' then o.documents * (coalesce(f.own, 0) + 0.5) / (h.own + 1) else coalesce(t.df, f.df, 0) end as df) c),
    ${scoreTexts(mode, own.length <= SHORT_QUERY, widened)}`
}

/** Returns the rarity of a term that so many documents contain. */
function rarityOf(df: string): RawBuilder<number> {
  return sql.raw(`power(ln(1 + (greatest(o.documents, ${df}) - ${df} + 0.5) / (${df} + 0.5)), t.rarity)`)
}

const saturated = (frequency: string) =>
  `${frequency} * (m.k1 + 1) / (${frequency} + m.k1 * (1 - m.b + m.b * m.length / w.mean))`
const WORTH = `w.worth[m.n + 1] * ${saturated('m.frequency')} + coalesce(w.worth_written[m.n + 1] * ${saturated('m.written')}, 0)`

/**
 * Orders the texts by score: by words alone, by words and synonyms, or first by words and then by both. Fusing with synonyms would move the
 * right text down as often as up, so word matches keep their places, and texts without them follow.
 * The worth of a passage is the sum of the terms in it.
 */
function scoreTexts(mode: Mode, short: boolean, widened: boolean): RawBuilder<unknown> {
  const wholeFirst = sql.raw(short ? 'c.whole desc,' : '')
  const enough = sql.raw(
    short ? `(c.whole or (select count(*) from scored w where w.whole) < ${MIN_COMPLETE})` : 'true',
  )
  const byWords = mode === 'fulltext' || !widened
  const meaning = sql.raw(byWords ? '' : `, coalesce(sum(${WORTH}), 0) as meaning, m.own`)
  const scored = sql`
    scored as materialized (
      select m.owner_id, m.item_id, m.whole, coalesce(sum(${sql.raw(WORTH)}) filter (where not m.synonym), 0) as score${meaning}
      from matches m cross join worths w group by m.owner_id, m.item_id, m.whole${sql.raw(byWords ? '' : ', m.own')}),
    passages as materialized (
      select p.owner_id, p.item_id, max(p.worth) * ${sql.lit(PASSAGE.weight)} as worth
      from (
        select f.owner_id, f.item_id, f.start, sum(w.worth[f.n + 1]) as worth
        from (
          select distinct h.owner_id, h.item_id, t.n, position / ${sql.lit(PASSAGE.step)} - part as start
          from hits h
          cross join lateral unnest(ts_filter(setweight(h.tsv, 'B',
            array(select t.lexeme from terms t where t.weight > 0 and t.lexeme is not null)), '{b}')) l
          join terms t on t.weight > 0 and t.lexeme = l.lexeme
          cross join lateral unnest(l.positions[1:${sql.lit(PASSAGE.positions)}]) position
          cross join (values (0), (1)) parts (part)
          where h.item_id = any(array(
            select c.item_id from scored c order by ${wholeFirst} c.score desc, c.item_id desc limit ${sql.lit(PASSAGE.most)}))) f
        cross join worths w group by f.owner_id, f.item_id, f.start) p
      group by p.owner_id, p.item_id),
    rated as (
      select c.*, coalesce(p.worth, 0) as passage from scored c left join passages p on p.owner_id = c.owner_id and p.item_id = c.item_id)`
  if (byWords)
    return sql`${scored},
    ranked as (
      select c.owner_id, c.item_id, c.whole, c.score + c.passage as score,
        row_number() over (order by ${wholeFirst} c.score + c.passage desc, c.item_id desc)::int as place
      from rated c where ${enough} order by place limit ${sql.lit(RESULTS_MAX)})`
  return sql`${scored},
    placed as (
      select c.owner_id, c.item_id, c.meaning + c.passage as meaning,
        case when c.own and ${enough} then row_number() over (order by ${wholeFirst} c.score + c.passage desc, c.item_id desc) end as by_words,
        row_number() over (order by c.meaning + c.passage desc, c.item_id desc) as by_meaning
      from rated c),
    ranked as (
      select c.owner_id, c.item_id, null::boolean as whole, ${sql.raw(mode === 'semantic' ? 'c.meaning' : `1.0 / (${K} + c.place)`)} as score, c.place
      from (select p.*, row_number() over (order by ${sql.raw(mode === 'semantic' ? '' : 'p.by_words,')} p.by_meaning)::int as place from placed p) c
      order by c.place limit ${sql.lit(RESULTS_MAX)})`
}

/** Returns the SQL of a query for vocabulary words within one edit of the term `t`; null for none. Ranges use the indexes, `starts_with` not. */
function nearWords(words: Condition): Expression<unknown> {
  const startsWith = (text: string, start: string) =>
    sql.raw<boolean>(`${text} collate "C" between ${start} and ${start} || chr(1114111)`)
  return sql`(select string_agg(quote_literal(w.stem), ' | ')::tsquery from (
    select distinct w.stem from search.words w where ${words}
      and ${anyOf([startsWith('w.word', 't.head'), startsWith('reverse(w.word)', 't.tail')])} and w.word ~ t.near limit ${sql.lit(NEAR_MAX)}) w)`
}
