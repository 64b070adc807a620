import { nameKey } from 'tasuki/plugin'
import { daySpan } from './dates.ts'
import type { Expr } from './expr.ts'
import { filterValues, type FilterContext, type ItemFilter } from './filter.ts'

/** A filter without its colon: `priority>=high`. */
const COMPARISON = /^([\p{L}_.]+)(>=|<=|>|<|=)(\S+)$/u

/**
 * Explains the words of a query without results that are filters elsewhere, such as `overdue` and `priority>=high`. A client would otherwise
 * report that nothing is overdue.
 */
export function explainWords(expr: Expr, filters: readonly ItemFilter[], context: FilterContext): string[] {
  const meant = wordsOf(expr).flatMap(word => {
    const filter = filterFor(word, filters, context)
    return filter === null ? [] : [{ word, filter }]
  })
  if (meant.length === 0) return []
  const words = meant.map(({ word }) => word).join(' ')
  return [`Read as words of the text: ${words}. As a filter write ${meant.map(({ filter }) => filter).join(' ')}.`]
}

function filterFor(word: string, filters: readonly ItemFilter[], context: FilterContext): string | null {
  const [, key, op, value] = COMPARISON.exec(word) ?? []
  const compared = filters.find(filter => filter.key === key?.toLowerCase())
  if (compared) return `${compared.key}:${op === '=' ? '' : op}${value}`
  const name = nameKey(word)
  // "due" is a value of has:, but says more often what the next word is about.
  if (filters.some(filter => filter.key === name)) return null
  const chosen = filters.find(filter => filter.type === 'choice' && filterValues(filter, context).includes(name))
  if (chosen) return `${chosen.key}:${name}`
  return /^\p{L}/u.test(name) && daySpan(name, context) !== null ? `due:${name}` : null
}

function wordsOf(expr: Expr): readonly string[] {
  if (expr.kind === 'word') return [expr.text]
  return expr.kind === 'and' || expr.kind === 'or' ? expr.parts.flatMap(wordsOf) : []
}
