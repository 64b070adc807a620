import type { WriteContext } from 'tasuki/plugin'
import { vectorColumns, type VectorColumns } from './embedding/columns.ts'
import { embed } from './embedding/embed.ts'
import { embeddedPart, providerOf } from './embedding/provider.ts'
import { modelKey } from './embedding/vector-store.repository.ts'
import { enqueueEmbedding } from './jobs.ts'
import { vectorTables } from './points.ts'

/** The columns of a vector table for a new row. */
export type WrittenVector = Pick<VectorColumns, 'code' | 'vector'> & { readonly model?: string }

/**
 * Returns vectors of texts for new rows of a vector table: `code::bit varying`, `vector::real[]` and `model`. Only a local provider
 * computes them immediately; for others the job is enqueued. Null texts get none, and neither does any text with search off.
 */
export async function makeVectors(
  ctx: WriteContext,
  texts: readonly (string | null)[],
): Promise<readonly WrittenVector[]> {
  const none = texts.map(() => ({}))
  const distinct = [...new Set(texts.filter(text => text !== null))]
  if (distinct.length === 0 || ctx.all(vectorTables).length === 0) return none
  const provider = providerOf(ctx)
  if (!provider) return none
  if (!provider.local) {
    await enqueueEmbedding(ctx)
    return none
  }
  const parts = distinct.map(text => embeddedPart(ctx, text))
  const vectors = await embed(provider, parts, { of: 'text', signal: ctx.signal })
  const model = modelKey(provider, 'exact')
  const vectorsByText = new Map(
    distinct.map((text, n) => [text, { ...vectorColumns(vectors[n], 'exact'), model }] as const),
  )
  return texts.map(text => (text === null ? {} : vectorsByText.get(text)!))
}
