/** Every node carries `at`, the position of its first character in the query, counted in code points from 1. */
export type Expr = AllOf | AnyOf | Not | Term | FreeText

/** True when every part is; without parts it is the empty query. */
export interface AllOf {
  readonly kind: 'and'
  readonly parts: readonly Expr[]
  readonly at: number
}
export interface AnyOf {
  readonly kind: 'or'
  readonly parts: readonly Expr[]
  readonly at: number
}
export interface Not {
  readonly kind: 'not'
  readonly part: Expr
  readonly at: number
}

/** `key:value,value`. */
export interface Term {
  readonly kind: 'term'
  /** Lower case, NFKC. */
  readonly key: string
  readonly op: QueryOp
  /** At least one; the term is true when it is for any of them, with `!=` when it is for none. */
  readonly values: readonly (TermValue | TermRange)[]
  readonly at: number
}
export type QueryOp = '=' | '!=' | '<' | '<=' | '>' | '>='

export interface TermValue {
  readonly kind: 'value'
  /** As the user wrote it, without quotes. */
  readonly text: string
  /** Quoted values are never read as `none`, `any` or `@me`. */
  readonly quoted: boolean
  readonly at: number
}

/** `from..to`, both included; an end left out is open. */
export interface TermRange {
  readonly kind: 'range'
  readonly from: TermValue | null
  readonly to: TermValue | null
  readonly at: number
}

/** Free text as the user wrote it: a bare word, or a phrase in quotes. */
export interface FreeText {
  readonly kind: 'word' | 'phrase'
  readonly text: string
  readonly at: number
}
