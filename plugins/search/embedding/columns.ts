import { quantize } from './binary-quantization.ts'
import type { VectorStore } from './vector-store.repository.ts'

/** A normalized vector in the database's notation, by column name; empty without one. */
export interface VectorColumns {
  readonly code?: string
  readonly vector?: string
  /** Column of pgvector's table. */
  readonly embedding?: string
}

export function vectorColumns(vector: readonly number[] | null | undefined, store: VectorStore): VectorColumns {
  if (!vector) return {}
  // Stored as real, which has about seven digits; more would only be transferred.
  const numbers = vector.map(value => Math.round(value * 1e7) / 1e7).join(',')
  return store === 'pgvector' ? { embedding: `[${numbers}]` } : { code: quantize(vector), vector: `{${numbers}}` }
}
