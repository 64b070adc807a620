import { definePlugin } from 'tasuki/plugin'
import { embeddingProviders } from '../../../plugins/search/index.ts'
import { tokens, tokenWeight } from '../../../plugins/search/text/tokens.ts'

const HASHED_DIMS = 1024
/** Places of each token in a vector. With two, tokens that share one place still differ in the other. */
const PLACES = 2

/** A plugin with a provider that makes vectors at once, as a small model in the process would: `"provider": "hashed"`. */
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

/** Settings and options of a host that uses it. */
export const HASHED = [{ provider: 'hashed' }, { plugins: [hashedWords] }] as const

/**
 * The vector of a weak model: each token adds to a few places of it, up or down, so that texts with many tokens in common lie close
 * together. It knows no meaning beyond that, and nonsense collides with something.
 */
function hashWords(text: string): number[] {
  const seen = new Set<string>()
  const vector = Array.from({ length: HASHED_DIMS }, () => 0)
  for (const { text: token, form, alone } of tokens(text)) {
    // How often a text says something matters less than that it does.
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

/** FNV-1a with the final mix of MurmurHash3: even over all bits for short keys. */
function hashOf(text: string, seed: number): number {
  let hash = 0x811c_9dc5 ^ Math.imul(seed, 77_777)
  for (let n = 0; n < text.length; n++) hash = Math.imul(hash ^ text.charCodeAt(n), 0x0100_0193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
