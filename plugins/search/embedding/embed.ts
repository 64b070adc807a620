import { HostError } from 'tasuki/plugin'
import type { EmbeddingProvider, EmbeddingUse } from '../points.ts'
import { normalize } from './binary-quantization.ts'

/** Embeds texts as vectors of length 1; null for a zero or non-finite vector, whose cosines would be NaN. */
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

/** The outcome of a provider's last request. */
interface LastAnswer {
  readonly ok: boolean
  /** What an operator has to do, if known. */
  readonly problem: string | null
}

/** Returns the outcome of a provider's last request; undefined = none yet in this process. */
export const lastAnswer = (provider: EmbeddingProvider): LastAnswer | undefined => answers.get(provider)

async function answerOf<T>(provider: EmbeddingProvider, ask: () => Promise<T>): Promise<T> {
  try {
    const answer = await ask()
    answers.set(provider, { ok: true, problem: null })
    return answer
  } catch (error) {
    // Other errors may reveal details of the service's network.
    answers.set(provider, { ok: false, problem: error instanceof HostError ? error.message : null })
    throw error
  }
}

/** Returns the dimensions of the provider's vectors; requests a vector if they are unknown. */
export async function dimsOf(provider: EmbeddingProvider, signal: AbortSignal): Promise<number> {
  if (provider.dims === null) await embed(provider, ['tasuki'], { of: 'query', signal })
  return provider.dims!
}
