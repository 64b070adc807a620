import { definePoint, type RawBuilder, type ReadContext, type TSchema } from 'tasuki/plugin'
import type { Word } from './text/words.ts'

/** Turns texts into vectors, which are close to each other for texts of the same meaning. */
export interface EmbeddingProvider {
  readonly name: string
  /** Changes whenever the vectors of equal texts would: all texts are then embedded again. */
  readonly model: string
  /** Numbers in a vector; null until the first answer, for a server that is not told how many it gives. */
  readonly dims: number | null
  /** It answers at once in this process, so that texts are embedded as they are written instead of by a job. */
  readonly local?: boolean
  /** Weight of its ranking relative to full text when the two are fused; default 1. */
  readonly weight?: number
  /** Cosine below which a text counts as unrelated; default: measured with words that mean nothing, once per process. */
  readonly floor?: number
  /** What an operator does where it does not answer; default: looks at the settings of a server. */
  readonly mend?: string
  /** Vectors in the order of the texts; each of length 1 or not. A text whose vector is all zeros or not finite is kept without one. */
  embed(texts: readonly string[], use: EmbeddingUse): Promise<readonly (readonly number[])[]>
}
export interface EmbeddingUse {
  readonly of: 'query' | 'text'
  readonly signal: AbortSignal
}

/** What is searched, as a vector. */
export interface QueryVector {
  readonly provider: EmbeddingProvider
  readonly vector: readonly number[]
  /** Texts with a lower cosine are not found. */
  readonly floor: number
}

/** A provider that the config may choose by name. */
export interface EmbeddingSource {
  readonly name: string
  /** Makes it from the config; @param model of a setting as `ollama:nomic-embed-text`; @throws HostError when a setting is missing. */
  open(ctx: Pick<ReadContext, 'config'>, model?: string): EmbeddingProvider
}
export const embeddingProviders = definePoint<EmbeddingSource>('search.embeddingProviders')

/** A table of another plugin whose texts get vectors: its columns owner_id, id, code, vector and model are as those of documents. */
export interface VectorTable {
  /** Qualified name; the alias of a row is `t`. */
  readonly table: string
  /** The text of a row that is embedded; null for rows that get no vector. */
  readonly text: RawBuilder<string | null>
}
export const vectorTables = definePoint<VectorTable>('search.vectorTables')

export type Mode = 'fulltext' | 'semantic' | 'hybrid'

export interface KindRequest {
  /** Free words of the query, without those that are excluded. */
  readonly words: readonly Word[]
  readonly mode: Mode
  /** What the words mean; null in fulltext, and where no provider answers: it is full text then. */
  readonly vector: QueryVector | null
  /** At most so many rows. */
  readonly limit: number
}

/** Something besides items that `query` finds. */
export interface SearchKind {
  /** Value of `kinds`, for example `thread`. */
  readonly kind: string
  /** Name of its list in the result, for example `threads`. */
  readonly list: string
  readonly row: TSchema
  /** Best first, one statement. */
  search(ctx: ReadContext, request: KindRequest): Promise<readonly object[]>
}
export const searchKinds = definePoint<SearchKind>('search.kinds')

/** All points, for the plugin's declaration. */
export const points = [embeddingProviders, vectorTables, searchKinds]
