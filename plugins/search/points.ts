import { definePoint, type RawBuilder, type ReadContext, type TSchema } from 'tasuki/plugin'
import type { Word } from './text/words.ts'

/** Turns texts into vectors that are close for texts with similar meaning. */
export interface EmbeddingProvider {
  readonly name: string
  /** Must change whenever the vectors of equal texts would: all texts are then embedded again. */
  readonly model: string
  /** Dimensions of its vectors; null until the first response of a server whose dimensions are not configured. */
  readonly dims: number | null
  /** It runs in this process, so that texts are embedded on write instead of by a job. */
  readonly local?: boolean
  /** Weight relative to full text when both rankings are fused; default 1. */
  readonly weight?: number
  /** Cosine similarity below which a text counts as unrelated; default: measured with meaningless words, once per process. */
  readonly floor?: number
  /** Advice for the operator if it does not respond; default: check the settings of the server. */
  readonly mend?: string
  /** Returns what the operator has to do before it can respond, by language; null if nothing is known to be missing. */
  problem?(): { readonly en: string; readonly ja: string } | null
  /** Returns vectors in the order of the texts, normalized or not. A text whose vector is all zeros or not finite is stored without one. */
  embed(texts: readonly string[], use: EmbeddingUse): Promise<readonly (readonly number[])[]>
}
export interface EmbeddingUse {
  readonly of: 'query' | 'text'
  readonly signal: AbortSignal
}

/** The query as a vector. */
export interface QueryVector {
  readonly provider: EmbeddingProvider
  readonly vector: readonly number[]
  /** Texts with a lower cosine similarity are not found. */
  readonly floor: number
}

/** A provider that the config can select by name. */
export interface EmbeddingSource {
  readonly name: string
  /**
   * Creates the provider from the config.
   * @param model the part after the colon of a setting such as `ollama:nomic-embed-text`
   * @throws HostError if a setting is missing
   */
  open(ctx: Pick<ReadContext, 'config'>, model?: string): EmbeddingProvider
}
export const embeddingProviders = definePoint<EmbeddingSource>('search.embeddingProviders', {
  requires: ['open'],
  unique: 'name',
})

/** A table of another plugin whose texts get vectors; its columns owner_id, id, code, vector and model match those of documents. */
export interface VectorTable {
  /** Qualified name; the alias of a row is `t`. */
  readonly table: string
  /** The text of a row to embed; null for rows without a vector. */
  readonly text: RawBuilder<string | null>
}
export const vectorTables = definePoint<VectorTable>('search.vectorTables')

export type Mode = 'fulltext' | 'semantic' | 'hybrid'

export interface KindRequest {
  /** Free words of the query, without those that are excluded. */
  readonly words: readonly Word[]
  readonly mode: Mode
  /** The words as a vector; null in fulltext mode, and if no provider responds, which falls back to full text. */
  readonly vector: QueryVector | null
  /** Maximum number of rows. */
  readonly limit: number
}

/** A kind of record other than items that `query` finds. */
export interface SearchKind {
  /** Value of `kinds`, for example `thread`. */
  readonly kind: string
  /** Name of its list in the result, for example `threads`. */
  readonly list: string
  readonly row: TSchema
  /** Returns results best first, in one statement. */
  search(ctx: ReadContext, request: KindRequest): Promise<readonly object[]>
}
export const searchKinds = definePoint<SearchKind>('search.kinds', {
  requires: ['list', 'row', 'search'],
  unique: 'kind',
})

/** All extension points, for the plugin's declaration. */
export const points = [embeddingProviders, vectorTables, searchKinds]
