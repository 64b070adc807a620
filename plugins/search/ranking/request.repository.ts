import { allOf, anyOf, clip, noSql, sql, type Condition, type Expression, type ReadContext } from 'tasuki/plugin'
import {
  compileFreeText,
  compileQuery,
  filterContext,
  filtersOf,
  hasText,
  isNamedBy,
  isSentence,
  joinsOf,
} from '../../items/index.ts'
import type { Expr } from '../../items/index.ts'
import { wordQuery, type Word } from '../text/words.ts'
import { hasWords } from '../word-filter.repository.ts'

/** A parsed query text. */
export interface Request {
  /** Free words of the query, without excluded ones. */
  readonly words: readonly Word[]
  /** Conditions on the item `i`, its project `p`, state `s` and document `d`, in addition to visibility. */
  readonly filter: Condition
  /** Whether the query has filters. */
  readonly filtered: boolean
  /** The items that the query names, if it is nothing but references such as `APP#12`; null otherwise. */
  readonly named: Condition | null
  /** Whether the filter needs more than the item. */
  readonly joined: boolean
  /** The joins that the filter needs. */
  readonly joins: Expression<unknown>
  /** The filters as they were read. */
  readonly terms: Expr
  /** Notes on how the text was read, if that may be surprising. */
  readonly warnings: readonly string[]
}

/** @throws ToolError invalid_query for a mistyped key or an invalid filter value; everything else is read as words */
export function readRequest(ctx: ReadContext, text: string): Request {
  const { compiled, asWords } = compileFreeText(text, filtersOf(ctx.all), expr => compileRequest(ctx, expr))
  const { unsearched, excluded, rankingQuotes, ...request } = compiled
  const warnings = [
    ...(excluded.length > 0 ? [`Items with ${formatList(excluded)} are left out, for the minus before it.`] : []),
    ...(rankingQuotes.length > 0
      ? [`Among other words quotes only rank: ${formatList(rankingQuotes)}. Alone they are required.`]
      : []),
    ...(asWords.length > 0
      ? [`Read as plain text, not as filter syntax: ${formatList(asWords)}. Keys: see search_help.`]
      : []),
    ...(unsearched.length > 0 ? [`Not searched, for they have no letters or digits: ${formatList(unsearched)}.`] : []),
  ]
  return { ...request, warnings }
}

/** Maximum number of texts in a warning. */
const MAX_LISTED = 5

function formatList(texts: readonly string[]): string {
  const shown = texts.slice(0, MAX_LISTED).map(text => clip(text, 40))
  return `${shown.join(' ')}${texts.length > MAX_LISTED ? ' …' : ''}`
}

interface Compiled extends Omit<Request, 'warnings'> {
  readonly unsearched: readonly string[]
  /** Words with a minus, and optional phrases, of a sentence. */
  readonly excluded: readonly string[]
  readonly rankingQuotes: readonly string[]
}

function compileRequest(ctx: ReadContext, expr: Expr): Compiled {
  const parts = expr.kind === 'and' ? expr.parts : [expr]
  const words = parts.flatMap(part => (isText(part) ? [wordOf(part)] : []))
  const searched = words.filter(word => wordQuery(word) !== null)
  const others = words.filter(word => wordQuery(word) === null)
  const sentence = isSentence(parts)
  // Words without letters and digits are not in the index. Standalone or quoted ones are matched against the item itself.
  const required = searched.length === 0 ? others : others.filter(word => word.phrase && !sentence)
  const rest: Expr = { kind: 'and', at: 1, parts: parts.filter(part => !isText(part)) }
  const query = compileQuery(rest, filtersOf(ctx.all), filterContext(ctx), {
    words: texts => allOf(texts.map(isInDocument)),
  })
  const phrases = searched.filter(word => word.phrase && !sentence)
  const conditions = [
    // Not `is null`: without statistics, the planner would rate the partial indexes of items as highly as the primary key.
    ...(query.mentions.has('is:archived') ? [] : [sql.raw<boolean>('num_nulls(i.archived_at) = 1')]),
    // Quoted phrases are required, even if few texts match; in a sentence they may be names.
    ...phrases.map(word => hasWords('d', wordQuery(word)!)),
    ...required.map(({ text: other }) => hasText(other)),
    ...(query.where ? [query.where] : []),
  ]
  const filter = conditions.length === 0 ? sql.lit(true) : allOf(conditions)
  const named = rest.parts.length > 0 ? [] : words.map(word => isNamedBy(ctx, word.text))
  return {
    words: [...searched, ...rankingWords(rest).map(word => ({ ...word, optional: true }))],
    filter,
    named: named.length > 0 && named.every(condition => condition !== null) ? anyOf(named) : null,
    joins: joinsOf(ctx, filter),
    filtered: rest.parts.length > 0,
    terms: rest,
    joined: rest.parts.length > 0 || phrases.length > 0,
    excluded: sentence ? parts.flatMap(each => (each.kind === 'not' && isText(each.part) ? [each.part.text] : [])) : [],
    rankingQuotes: sentence ? searched.filter(word => word.phrase).map(({ text: quoted }) => quoted) : [],
    unsearched: others.filter(word => !required.includes(word)).map(({ text: other }) => other),
  }
}

/**
 * Joins each row of a table to its item if that matches the filter. `offset` makes the planner plan it separately: without table statistics
 * it would otherwise start with the owner's states and scan all their items.
 * @param alias of a table with owner_id and item_id; conditions may name the document `d` in addition to the item
 */
export function joinItem(
  { filter, joins }: Request,
  alias: string,
  document: Expression<unknown> = noSql,
): Expression<unknown> {
  const row = (column: string) => sql.ref(`${alias}.${column}`)
  return sql`cross join lateral (
    select from items.items i ${joins} ${document}
    where i.owner_id = ${row('owner_id')} and i.id = ${row('item_id')} and ${filter} offset 0) item`
}

type Text = Extract<Expr, { kind: 'word' | 'phrase' }>

function isText(expr: Expr): expr is Text {
  return expr.kind === 'word' || expr.kind === 'phrase'
}

function wordOf({ kind, text }: Text): Word {
  return { text, phrase: kind === 'phrase' }
}

/** Returns the words that count for the ranking, even if the query does not require them. */
function rankingWords(expr: Expr): Word[] {
  switch (expr.kind) {
    case 'and':
    case 'or':
      return expr.parts.flatMap(rankingWords)
    case 'word':
    case 'phrase':
      return wordQuery(wordOf(expr)) === null ? [] : [wordOf(expr)]
    case 'not':
    case 'term':
      return []
  }
}

/** Returns the condition for a word within OR, NOT or parentheses; one with spaces was quoted. */
function isInDocument(text: string): Condition {
  const query = wordQuery({ text, phrase: /\s/.test(text) })
  return query === null ? hasText(text) : hasWords('d', query)
}
