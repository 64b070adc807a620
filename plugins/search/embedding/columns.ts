import { codeOf } from './code.ts'
import type { VectorStore } from './store.ts'

/** A vector in the database's notation, under the names of columns; empty where there is none yet. */
export interface VectorColumns {
  readonly code?: string
  readonly vector?: string
  /** Of pgvector's table. */
  readonly embedding?: string
}

export function vectorColumns(vector: readonly number[] | undefined, store: VectorStore): VectorColumns {
  if (!vector) return {}
  const numbers = vector.map(value => (value === 0 ? 0 : Number(value.toPrecision(7)))).join(',')
  return store === 'pgvector' ? { embedding: `[${numbers}]` } : { code: codeOf(vector), vector: `{${numbers}}` }
}
