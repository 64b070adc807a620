import { byNearness, nameKey, normalizeText, quoteName } from 'tasuki/plugin'
import { DATE_FORMS, daySpan, type DaySpan } from './dates.ts'
import type { Term, TermRange, TermValue } from './expr.ts'
import { filterOps, filterValues } from './filter.ts'
import { suggestWord } from './suggest.ts'
import type { FilterContext, FilterTerm, FilterValue, ItemFilter, ItemRefValue } from './filter.ts'

/** Reports a problem at a position of the query. */
export type Report = (
  position: number,
  message: string,
  help: { readonly hint: string; readonly allowed?: readonly string[] },
) => void

interface Scope {
  readonly term: Term
  readonly filter: ItemFilter
  readonly ctx: FilterContext
  readonly report: Report
}
/** A comparison of ordered choices resolves to all matching values; null after a reported problem. */
type Resolved = FilterValue | readonly FilterValue[] | null

const YES = ['yes', 'true']
const NO = ['no', 'false']
const NUMBER = /^[+-]?\d{1,15}(\.\d{1,10})?$/
const ITEM_REF = /^(?:(?:([^\s/@]+@[^\s/@]+)\/)?([A-Z][A-Z0-9_]{0,15})#|#)?(\d{1,10})$/
const INT_MAX = 2_147_483_647

/** Validates a term's operator and values against its filter and resolves them; null after a reported problem. */
export function resolveTerm(term: Term, filter: ItemFilter, ctx: FilterContext, report: Report): FilterTerm | null {
  const scope = { term, filter, ctx, report }
  if (!filterOps(filter).includes(term.op)) return refuseOp(scope, term.at, term.op)
  const resolved = term.values.map(part => resolvePart(scope, part))
  if (resolved.includes(null)) return null
  const values = resolved.flatMap(value => value ?? [])
  const op = term.op === '!=' || filter.ordered === true ? '=' : term.op
  if (op !== '=' && values.every(value => value.kind === 'none' || value.kind === 'any')) {
    report(term.at, `\`${term.op}\` cannot compare with none or any`, {
      hint: `Write ${term.key}:none or ${term.key}:any.`,
    })
    return null
  }
  const name = filter.family === true ? term.key.slice(filter.key.length + 1) : null
  return { key: filter.key, name, op, values }
}

function resolvePart(scope: Scope, part: TermValue | TermRange): Resolved {
  if (part.kind === 'range') return resolveRange(scope, part)
  const { filter } = scope
  const word = foldName(part)
  if (!part.quoted && filter.nullable === true && (word === 'none' || word === 'any')) return { kind: word }
  const symbol = part.quoted ? undefined : filter.symbols?.find(known => known === word)
  return symbol ? { kind: 'symbol', symbol } : resolveValue(scope, part)
}

/** Resolves a value that is no special word, by the type of the filter. */
function resolveValue(scope: Scope, part: TermValue): Resolved {
  const { filter } = scope
  switch (filter.type) {
    case 'text':
    case 'name':
      return part.text.trim() === '' ? refuse(scope, part, 'is empty') : { kind: filter.type, text: part.text }
    case 'flag': {
      const word = foldName(part)
      if (YES.includes(word)) return { kind: 'flag', value: true }
      return NO.includes(word) ? { kind: 'flag', value: false } : refuse(scope, part, 'is neither', ['yes', 'no'])
    }
    case 'choice':
      return resolveChoice(scope, part)
    case 'date': {
      const days = daysOf(scope, part)
      return days && { kind: 'date', ...days }
    }
    case 'number': {
      const number = numberOf(scope, part)
      return number === null ? null : { kind: 'number', from: number, to: number }
    }
    case 'ref':
      return parseItemRef(part.text) ?? refuse(scope, part, 'is no item reference', ['KEY#12', '#12'])
  }
}

function resolveRange(scope: Scope, range: TermRange): Resolved {
  const { filter, term } = scope
  if (!filterOps(filter).includes('..')) return resolveDots(scope, range)
  if (filter.type === 'date') {
    const ends = resolveEnds(range, end => daysOf(scope, end))
    return ends && { kind: 'date', from: ends.first?.from ?? null, to: ends.last?.to ?? null }
  }
  if (filter.type === 'number') {
    const ends = resolveEnds(range, end => numberOf(scope, end))
    return ends && { kind: 'number', from: ends.first, to: ends.last }
  }
  if (filter.ordered !== true) throw new TypeError(`The filter "${term.key}" allows ranges of a type that has none`)
  const values = filterValues(filter, scope.ctx)
  const ends = resolveEnds(range, end => rankOf(scope, end, values))
  if (!ends) return null
  const { first, last } = ends
  return values.slice(first ?? 0, last === null ? undefined : last + 1).map(value => ({ kind: 'choice', value }))
}

/** Types without ranges read dots as ordinary text. */
function resolveDots(scope: Scope, { from, to, at }: TermRange): Resolved {
  if (from?.quoted || to?.quoted) return refuseOp(scope, at, '..')
  return resolvePart(scope, { kind: 'value', text: `${from?.text ?? ''}..${to?.text ?? ''}`, quoted: false, at })
}

/** Resolves both ends of a range; an open end is null. Returns null after a reported problem. */
function resolveEnds<T>({ from, to }: TermRange, resolve: (end: TermValue) => T | null) {
  const [first, last] = [from && resolve(from), to && resolve(to)]
  return (from && first === null) || (to && last === null) ? null : { first, last }
}

function resolveChoice(scope: Scope, value: TermValue): Resolved {
  const values = filterValues(scope.filter, scope.ctx)
  const rank = rankOf(scope, value, values)
  if (rank === null) return null
  return matchingValues(values, rank, scope.term.op).map(each => ({ kind: 'choice', value: each }))
}

function matchingValues(values: readonly string[], rank: number, op: Term['op']): readonly string[] {
  switch (op) {
    case '<':
      return values.slice(0, rank)
    case '<=':
      return values.slice(0, rank + 1)
    case '>':
      return values.slice(rank + 1)
    case '>=':
      return values.slice(rank)
    case '=':
    case '!=':
      return values.slice(rank, rank + 1)
  }
}

function rankOf(scope: Scope, value: TermValue, values: readonly string[]): number | null {
  const word = foldName(value)
  const rank = values.findIndex(each => each.toLowerCase() === word)
  if (rank >= 0) return rank
  const more = scope.filter.nullable === true ? ['none', 'any'] : []
  return refuse(scope, value, 'is not one of its values', [...byNearness(word, [...values, ...more])])
}

function daysOf(scope: Scope, value: TermValue): DaySpan | null {
  return daySpan(value.text, scope.ctx) ?? refuse(scope, value, 'is no date', DATE_FORMS)
}

function numberOf(scope: Scope, value: TermValue): number | null {
  const text = foldName(value)
  return NUMBER.test(text) ? Number(text) : refuse(scope, value, 'is no number')
}

/** Parses `KEY#12`, `owner@example.com/KEY#12`, `#12` or `12`, in any case and width; null for other texts. */
export function parseItemRef(text: string): ItemRefValue | null {
  const match = ITEM_REF.exec(normalizeText(text).trim().toUpperCase())
  const number = Number(match?.[3])
  const owner = match?.[1]?.toLowerCase() ?? null
  return match && number <= INT_MAX ? { kind: 'ref', owner, project: match[2] ?? null, number } : null
}

const foldName = (value: TermValue): string => nameKey(value.text)

function refuse(scope: Scope, value: TermValue, problem: string, allowed?: readonly string[]): null {
  const { term, filter, report } = scope
  const close = allowed && suggestWord(foldName(value), allowed)
  const hint = close != null ? `Did you mean ${term.key}:${close}?` : `Write for example ${filter.example}.`
  report(value.at, `\`${term.key}:\` got ${quoteName(value.text)}, which ${problem}`, {
    hint,
    ...(allowed && { allowed }),
  })
  return null
}

function refuseOp(scope: Scope, at: number, op: string): null {
  const { term, filter, report } = scope
  const help = { hint: `Write for example ${filter.example}.`, allowed: filterOps(filter) }
  report(at, `\`${term.key}:\` does not take \`${op}\``, help)
  return null
}
