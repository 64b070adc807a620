interface Node {
  /** Position of the first character in the query, counted in code points from 1. */
  readonly at: number
}

export type Expr = AllOf | AnyOf | Not | Term | FreeText

/** True if every part is true; without parts, the empty query. */
export interface AllOf extends Node {
  readonly kind: 'and'
  readonly parts: readonly Expr[]
}
export interface AnyOf extends Node {
  readonly kind: 'or'
  readonly parts: readonly Expr[]
}
export interface Not extends Node {
  readonly kind: 'not'
  readonly part: Expr
}

/** `key:value,value`. */
export interface Term extends Node {
  readonly kind: 'term'
  /** Lower case, NFKC. */
  readonly key: string
  readonly op: QueryOp
  /** At least one value. The term is true if it is true for any of them; with `!=`, if it is true for none. */
  readonly values: readonly (TermValue | TermRange)[]
}
export type QueryOp = '=' | '!=' | '<' | '<=' | '>' | '>='

export interface TermValue extends Node {
  readonly kind: 'value'
  /** The text as typed, without quotes. */
  readonly text: string
  /** Quoted values are never read as `none`, `any` or `@me`. */
  readonly quoted: boolean
}

/** `from..to`, inclusive; a missing end is open. */
export interface TermRange extends Node {
  readonly kind: 'range'
  readonly from: TermValue | null
  readonly to: TermValue | null
}

/** Free text as typed: a bare word, or a phrase in quotes. */
export interface FreeText extends Node {
  readonly kind: 'word' | 'phrase'
  readonly text: string
}
