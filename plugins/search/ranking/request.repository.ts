import { sql, type RawBuilder, type ReadContext } from 'tasuki/plugin'
import {
  compileQuery,
  containsText,
  filterContext,
  filtersOf,
  itemJoins,
  parseQuery,
  type Expr,
} from '../../items/index.ts'
import { allWords, wordQuery, type Word } from '../text/words.ts'

/** A parsed query text. */
export interface Request {
  /** Free words of the query, without excluded ones. */
  readonly words: readonly Word[]
  /** Query for documents that have every word which the user did not make optional; null when there is none. */
  readonly all: string | null
  /** Conditions on the item `i`, its project `p`, state `s` and document `d`, besides visibility. */
  readonly filter: RawBuilder<boolean>
  /** Whether filters were given. */
  readonly filtered: boolean
  /** Whether the filter looks at more than the item. */
  readonly joined: boolean
}

/** @throws ToolError invalid_query with all problems */
export function readRequest(ctx: ReadContext, text: string): Request {
  const expr = parseQuery(text)
  const parts = expr.kind === 'and' ? expr.parts : [expr]
  const words = parts.flatMap(part => (isText(part) ? [wordOf(part)] : []))
  const searched = words.filter(word => wordQuery(word) !== null)
  // Words without letters and digits are in no document, so the item itself is searched.
  const others = words.filter(word => wordQuery(word) === null)
  const rest: Expr = { kind: 'and', at: 1, parts: parts.filter(part => !isText(part)) }
  const query = compileQuery(rest, filtersOf(ctx.all), filterContext(ctx), {
    words: texts => sql`(${sql.join(texts.map(hasText), sql` and `)})`,
  })
  const phrases = searched.filter(word => word.phrase)
  const conditions = [
    // Not `is null`: the partial indexes of items would then look as good as the primary key to a planner without statistics.
    ...(query.mentions.has('is:archived') ? [] : [sql<boolean>`num_nulls(i.archived_at) = 1`]),
    // Quoted phrases are always required, even if little is found.
    ...phrases.map(word => sql<boolean>`d.tsv @@ ${wordQuery(word)}::tsquery`),
    ...others.map(({ text: other }) => inItem(other)),
    ...(query.where ? [query.where] : []),
  ]
  return {
    words: [...searched, ...positive(rest)],
    all: allWords(searched),
    filter: conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(conditions, sql` and `)}`,
    filtered: rest.parts.length > 0,
    joined: rest.parts.length > 0 || phrases.length > 0,
  }
}

/**
 * Joins each row of a table to its item, if that meets the filter. Planned on its own (that is what `offset` is for): where a table has
 * no statistics yet, the planner would otherwise begin with the owner's states and go through all items of each.
 * @param alias of a table with owner_id and item_id; conditions may name the document `d` besides the item
 */
export function joinItem({ filter, joined }: Request, alias: string, document = sql``): RawBuilder<unknown> {
  const row = (column: string) => sql.ref(`${alias}.${column}`)
  return sql`cross join lateral (
    select from items.items i ${joined ? itemJoins : sql``} ${document}
    where i.owner_id = ${row('owner_id')} and i.id = ${row('item_id')} and ${filter} offset 0) item`
}

type Text = Extract<Expr, { kind: 'word' | 'phrase' }>

function isText(expr: Expr): expr is Text {
  return expr.kind === 'word' || expr.kind === 'phrase'
}

function wordOf({ kind, text }: Text): Word {
  return { text, phrase: kind === 'phrase' }
}

/** Words that count for the ranking, though the query does not need every one of them. */
function positive(expr: Expr): Word[] {
  switch (expr.kind) {
    case 'and':
    case 'or':
      return expr.parts.flatMap(positive)
    case 'word':
    case 'phrase':
      return wordQuery(wordOf(expr)) === null ? [] : [wordOf(expr)]
    case 'not':
    case 'term':
      return []
  }
}

/** A word within OR, NOT or parentheses; one with spaces was quoted. */
function hasText(text: string): RawBuilder<boolean> {
  const query = wordQuery({ text, phrase: /\s/.test(text) })
  return query === null ? inItem(text) : sql<boolean>`d.tsv @@ ${query}::tsquery`
}

function inItem(text: string): RawBuilder<boolean> {
  return sql<boolean>`(${containsText(sql`i.title`, text)} or ${containsText(sql`i.detail`, text)})`
}
