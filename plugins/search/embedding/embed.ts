import type { EmbeddingProvider, EmbeddingUse } from '../points.ts'
import { normalize } from './binary-quantization.ts'

/** Vectors of length 1; null for a text of which the provider makes a zero or non-finite vector: its cosines would be NaN. */
export async function embed(
  provider: EmbeddingProvider,
  texts: readonly string[],
  use: EmbeddingUse,
): Promise<(number[] | null)[]> {
  const vectors = await answerOf(provider, () => provider.embed(texts, use))
  if (vectors.length !== texts.length || vectors.some(vector => vector.length !== provider.dims))
    throw new Error(
      `embedding provider ${provider.name} did not give ${texts.length} vectors of ${provider.dims} numbers`,
    )
  return vectors.map(normalize)
}

const answered = new WeakMap<EmbeddingProvider, boolean>()

async function answerOf<T>(provider: EmbeddingProvider, ask: () => Promise<T>): Promise<T> {
  try {
    const answer = await ask()
    answered.set(provider, true)
    return answer
  } catch (error) {
    answered.set(provider, false)
    throw error
  }
}

/** Whether the provider answered when it was last asked; null = not asked yet in this process. */
export function hasAnswered(provider: EmbeddingProvider): boolean | null {
  return answered.get(provider) ?? null
}

/** How many numbers its vectors have; a server that was not asked yet is asked. */
export async function dimsOf(provider: EmbeddingProvider, signal: AbortSignal): Promise<number> {
  if (provider.dims === null) await embed(provider, ['tasuki'], { of: 'query', signal })
  return provider.dims!
}
