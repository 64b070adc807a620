import { definePlugin } from 'tasuki/plugin'
import { embeddingProviders } from '../../../plugins/search/index.ts'
import { tokens, tokenWeight } from '../../../plugins/search/text/tokens.ts'

const HASHED_DIMS = 1024
/** Number of dimensions per token. With two, tokens that share one dimension still differ in the other. */
const PLACES = 2

/** A plugin with a provider that computes vectors synchronously, like a small local model: `"provider": "hashed"`. */
const hashedWords = definePlugin({
  name: 'hashed_words',
  version: '1.0.0',
  api: 1,
  group: 'hashed_words',
  dependsOn: ['search'],
  contributes: [
    embeddingProviders({
      name: 'hashed',
      open: () => ({
        name: 'hashed',
        model: 'hashed/1',
        dims: HASHED_DIMS,
        local: true,
        weight: 0.05,
        floor: 0.08,
        embed: texts => Promise.resolve(texts.map(hashWords)),
      }),
    }),
  ],
})

/** Settings and options of a host with this provider. */
export const HASHED = [{ provider: 'hashed' }, { plugins: [hashedWords] }] as const

/**
 * Computes the vector of a weak model: each token changes a few dimensions, up or down, so that texts with many common tokens are similar.
 * It knows no meaning, and random words collide with real ones.
 */
function hashWords(text: string): number[] {
  const seen = new Set<string>()
  const vector = Array.from({ length: HASHED_DIMS }, () => 0)
  for (const { text: token, form, alone } of tokens(text)) {
    // Repeated tokens count once.
    if (seen.has(token) || (form === 'single' && !alone)) continue
    seen.add(token)
    const weight = tokenWeight(token)
    for (let place = 0; place < PLACES; place++) {
      const hash = hashOf(token, place)
      vector[hash % HASHED_DIMS]! += hash & 0x100_000 ? weight : -weight
    }
  }
  return vector
}

/** Hashes with FNV-1a and the final mix of MurmurHash3, which distributes short keys evenly over all bits. */
function hashOf(text: string, seed: number): number {
  let hash = 0x811c_9dc5 ^ Math.imul(seed, 77_777)
  for (let n = 0; n < text.length; n++) hash = Math.imul(hash ^ text.charCodeAt(n), 0x0100_0193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
