import type { Condition, ReadContext } from 'tasuki/plugin'
import type { Calendar, DaySpan } from './dates.ts'

export const FILTER_TYPES = ['text', 'choice', 'date', 'number', 'name', 'ref', 'flag'] as const
export type FilterType = (typeof FILTER_TYPES)[number]
export type FilterOp = '=' | '!=' | '<' | '<=' | '>' | '>=' | '..'
export type FilterSymbol = '@me' | '@active' | '@next'

/** One key of the filter language. */
export interface ItemFilter {
  /** Lower case; for a family, the part before the dot. */
  readonly key: string
  /** A dot and a name follow the key: `cf.<name>`. */
  readonly family?: boolean
  readonly type: FilterType
  /** Default: all operators for dates, numbers and ordered choices; `=` and `!=` for other types. */
  readonly ops?: readonly FilterOp[]
  /** The accepted values of a choice. */
  readonly values?: readonly string[] | ((ctx: FilterContext) => readonly string[])
  /** The values are in ascending order and can be compared. */
  readonly ordered?: boolean
  /** Accepts `none` and `any`. */
  readonly nullable?: boolean
  readonly symbols?: readonly FilterSymbol[]
  /** A few words for `search_help`: units, not grammar. */
  readonly summary: string
  readonly example: string
  /**
   * Returns the condition on the item row, alias `i` (project `p` and state `s` are joined). Never called for `!=`: the whole condition is
   * negated, with null as false.
   */
  readonly sql: (ctx: FilterContext, term: FilterTerm) => Condition
}

export interface FilterContext extends Calendar {
  readonly ctx: ReadContext
  /** IANA name of the owner's time zone. */
  readonly timeZone: string
  readonly now: Date
}

/** A term with its values checked and resolved. */
export interface FilterTerm {
  readonly key: string
  /** For a family, the part after the dot; NFKC and lower case. */
  readonly name: string | null
  readonly op: '=' | '<' | '<=' | '>' | '>='
  /** At least one; the term matches any of them. `op` does not apply to `none` and `any`. */
  readonly values: readonly FilterValue[]
}

/** A value by the filter's type; `none`, `any` and symbols only if the filter accepts them. */
export type FilterValue =
  | { readonly kind: 'none' }
  | { readonly kind: 'any' }
  | { readonly kind: 'symbol'; readonly symbol: FilterSymbol }
  /** The text as typed; names are compared by NFKC, case-insensitively. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'name'; readonly text: string }
  /** The value as registered; a comparison of an ordered choice arrives as the list of matching values. */
  | { readonly kind: 'choice'; readonly value: string }
  | { readonly kind: 'flag'; readonly value: boolean }
  /** A half-open range of days; null = open end. */
  | ({ readonly kind: 'date' } & { readonly [end in keyof DaySpan]: string | null })
  /** An inclusive range; both ends are equal for a single number; null = open end. */
  | { readonly kind: 'number'; readonly from: number | null; readonly to: number | null }
  | ItemRefValue

/** `KEY#12`, `owner@example.com/KEY#12`, or `#12` with project null. */
export interface ItemRefValue {
  readonly kind: 'ref'
  /** Upper case. */
  readonly project: string | null
  /** Email address; lower case. */
  readonly owner: string | null
  readonly number: number
}

/** A named condition of items that other filters offer as a value: `is:recurring`, `has:attachment`. */
export interface ItemFlag {
  readonly value: string
  readonly summary: string
  readonly sql: (ctx: FilterContext) => Condition
}

const EVERY_OP: readonly FilterOp[] = ['=', '!=', '<', '<=', '>', '>=', '..']
const EQUALITY: readonly FilterOp[] = ['=', '!=']

/** Returns the operators that a filter accepts. */
export function filterOps(filter: ItemFilter): readonly FilterOp[] {
  const comparable = filter.type === 'date' || filter.type === 'number' || filter.ordered === true
  return filter.ops ?? (comparable ? EVERY_OP : EQUALITY)
}

/** Returns the values that a choice accepts in this context. */
export function filterValues(filter: ItemFilter, ctx: FilterContext): readonly string[] {
  return typeof filter.values === 'function' ? filter.values(ctx) : (filter.values ?? [])
}
