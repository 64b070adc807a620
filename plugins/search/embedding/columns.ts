import { quantize } from './binary-quantization.ts'
import type { VectorStore } from './vector-store.repository.ts'

/** A normalized vector in the database's notation, under the names of columns; empty where there is none. */
export interface VectorColumns {
  readonly code?: string
  readonly vector?: string
  /** Of pgvector's table. */
  readonly embedding?: string
}

export function vectorColumns(vector: readonly number[] | null | undefined, store: VectorStore): VectorColumns {
  if (!vector) return {}
  // Kept as real, which has some seven digits: more of them would only be sent.
  const numbers = vector.map(value => Math.round(value * 1e7) / 1e7).join(',')
  return store === 'pgvector' ? { embedding: `[${numbers}]` } : { code: quantize(vector), vector: `{${numbers}}` }
}
