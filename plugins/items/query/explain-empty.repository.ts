import { exists, quoteValue, sql, type Condition, type ReadContext } from 'tasuki/plugin'
import { visible } from '../../projects/index.ts'
import { compileQuery } from './compile.ts'
import { filterContext, filtersOf, joinsOf } from './compile-filter.ts'
import { explainWords } from './explain-words.ts'
import type { Expr, Term } from './expr.ts'

/** Maximum number of terms that are looked up. */
const MAX_TERMS = 10

/**
 * Explains a query without results: which of its words are filters elsewhere, and which of its names no item has, in any project, archived
 * items included. A mistyped name would otherwise look like an empty project. At most one statement, for empty first pages only.
 */
export async function explainEmpty(ctx: ReadContext, expr: Expr): Promise<string[]> {
  const filters = filtersOf(ctx.all)
  const named = new Set(filters.filter(({ type, family }) => type === 'name' || family === true).map(({ key }) => key))
  const terms = termsOf(expr).filter(term => named.has(term.key.split('.')[0]!) && hasOnlyNames(term))
  const conditions = terms.slice(0, MAX_TERMS).flatMap(term => {
    const { where } = compileQuery(term, filters, filterContext(ctx), { words: () => 'ignore' })
    return where ? [{ term, where }] : []
  })
  const words = explainWords(expr, filters, filterContext(ctx))
  if (conditions.length === 0) return words
  const found = await haveItems(ctx, conditions)
  const unknown = conditions.flatMap(({ term: { key, values } }, n) => {
    const names = values.flatMap(value => (value.kind === 'value' ? [quoteValue(value.text)] : []))
    return found[n]
      ? []
      : [`No item has ${key} ${names.join(' or ')}, in any project, archived or not; the name may be wrong.`]
  })
  return [...words, ...unknown]
}

/** `any`, `none`, `@me` and ranges name nothing. */
const hasOnlyNames = ({ values }: Term): boolean =>
  values.every(value => value.kind === 'value' && (value.quoted || !/^(any|none|@.*)$/i.test(value.text)))

function termsOf(expr: Expr): Term[] {
  if (expr.kind === 'term') return expr.op === '=' ? [expr] : []
  return expr.kind === 'and' || expr.kind === 'or' ? expr.parts.flatMap(termsOf) : []
}

async function haveItems(ctx: ReadContext, conditions: readonly { where: Condition }[]): Promise<readonly boolean[]> {
  const each = conditions.map(({ where }) =>
    exists(sql`from items.items i ${joinsOf(ctx, where)} where ${visible(ctx, 'i')} and ${where}`),
  )
  const { rows } = await sql<{ found: boolean[] }>`select array[${sql.join(each)}] as found`.execute(ctx.db)
  return rows[0]!.found
}
