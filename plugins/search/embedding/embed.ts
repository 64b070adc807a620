import { HostError } from 'tasuki/plugin'
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

const answers = new WeakMap<EmbeddingProvider, LastAnswer>()

/** How a provider answered when it was last asked. */
export interface LastAnswer {
  readonly ok: boolean
  /** What an operator has to do, where that is known. */
  readonly problem: string | null
}

async function answerOf<T>(provider: EmbeddingProvider, ask: () => Promise<T>): Promise<T> {
  try {
    const answer = await ask()
    answers.set(provider, { ok: true, problem: null })
    return answer
  } catch (error) {
    // Other errors may tell of the network of the service.
    answers.set(provider, { ok: false, problem: error instanceof HostError ? error.message : null })
    throw error
  }
}

/** How the provider answered when it was last asked; null = not asked yet in this process. */
export function lastAnswer(provider: EmbeddingProvider): LastAnswer | null {
  return answers.get(provider) ?? null
}

/** How many numbers its vectors have; a server that was not asked yet is asked. */
export async function dimsOf(provider: EmbeddingProvider, signal: AbortSignal): Promise<number> {
  if (provider.dims === null) await embed(provider, ['tasuki'], { of: 'query', signal })
  return provider.dims!
}
