import type { Condition, ReadContext } from 'tasuki/plugin'
import type { Calendar, DaySpan } from './dates.ts'

export type FilterType = 'text' | 'choice' | 'date' | 'number' | 'name' | 'ref' | 'flag'
export type FilterOp = '=' | '!=' | '<' | '<=' | '>' | '>=' | '..'
export type FilterSymbol = '@me' | '@active' | '@next'

/** One key of the filter language. */
export interface ItemFilter {
  /** Lower case; of a family, the part before the dot. */
  readonly key: string
  /** The key is followed by a dot and a name: `cf.<name>`. */
  readonly family?: boolean
  readonly type: FilterType
  /** Default: all for dates, numbers and ordered choices; `=` and `!=` for the rest. */
  readonly ops?: readonly FilterOp[]
  /** What a choice accepts. */
  readonly values?: readonly string[] | ((ctx: FilterContext) => readonly string[])
  /** The values go from least to most, so that they can be compared. */
  readonly ordered?: boolean
  /** Accepts `none` and `any`. */
  readonly nullable?: boolean
  readonly symbols?: readonly FilterSymbol[]
  /** A few words for `search_help`; units, not grammar. */
  readonly summary: string
  readonly example: string
  /**
   * The condition on the item row, alias `i` (project `p` and state `s` are joined).
   * It is never called for `!=`: the negation of the whole is taken, and null counts as false.
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
  /** Of a family, what follows the dot; NFKC and lower case. */
  readonly name: string | null
  readonly op: '=' | '<' | '<=' | '>' | '>='
  /** At least one; any of them. `op` does not apply to `none` and `any`. */
  readonly values: readonly FilterValue[]
}

/** By the filter's type; `none`, `any` and symbols only where the filter accepts them. */
export type FilterValue =
  | { readonly kind: 'none' }
  | { readonly kind: 'any' }
  | { readonly kind: 'symbol'; readonly symbol: FilterSymbol }
  /** As the user wrote it; names are compared by NFKC and without case. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'name'; readonly text: string }
  /** As registered; comparisons of ordered choices arrive as the list of values that they allow. */
  | { readonly kind: 'choice'; readonly value: string }
  | { readonly kind: 'flag'; readonly value: boolean }
  /** Half-open days; null = open end. */
  | ({ readonly kind: 'date' } & { readonly [end in keyof DaySpan]: string | null })
  /** Both ends included and equal for a single number; null = open end. */
  | { readonly kind: 'number'; readonly from: number | null; readonly to: number | null }
  | ItemRefValue

/** `KEY#12`, `owner@example.com/KEY#12`, or `#12` with project null. */
export interface ItemRefValue {
  readonly kind: 'ref'
  /** Upper case. */
  readonly project: string | null
  /** Address; lower case. */
  readonly owner: string | null
  readonly number: number
}

/** A named state of items that other filters offer as a value: `is:recurring`, `has:attachment`. */
export interface ItemFlag {
  readonly value: string
  readonly summary: string
  readonly sql: (ctx: FilterContext) => Condition
}

const EVERY_OP: readonly FilterOp[] = ['=', '!=', '<', '<=', '>', '>=', '..']
const EQUALITY: readonly FilterOp[] = ['=', '!=']

/** The operators that a filter accepts. */
export function filterOps(filter: ItemFilter): readonly FilterOp[] {
  const comparable = filter.type === 'date' || filter.type === 'number' || filter.ordered === true
  return filter.ops ?? (comparable ? EVERY_OP : EQUALITY)
}

/** The words that a choice accepts now. */
export function filterValues(filter: ItemFilter, ctx: FilterContext): readonly string[] {
  return typeof filter.values === 'function' ? filter.values(ctx) : (filter.values ?? [])
}
