import { tokens, tokenWeight } from '../text/tokens.ts'
import type { EmbeddingProvider, EmbeddingSource } from '../points.ts'

const DIMS = 1024
/** Places of each token in a vector. With two, tokens that share one place still differ in the other. */
const PLACES = 2

/**
 * Feature hashing: each token adds to a few places of the vector, up or down, so that texts with many tokens in common lie close
 * together. It knows no meaning beyond that, but needs no model, no key and no network, and takes a fraction of a millisecond.
 */
const provider: EmbeddingProvider = {
  name: 'built-in',
  model: 'built-in/1',
  dims: DIMS,
  local: true,
  // It sees the same tokens as full text does, but less sharply: it may add to that ranking, not outvote it.
  weight: 0.05,
  floor: 0.08,
  embed: texts => Promise.resolve(texts.map(hashTokens)),
}

export const builtIn: EmbeddingSource = { name: provider.name, open: () => provider }

function hashTokens(text: string): number[] {
  const seen = new Set<string>()
  const vector = Array.from({ length: DIMS }, () => 0)
  for (const { text: token, form, alone } of tokens(text)) {
    // How often a text says something matters less than that it does.
    if (seen.has(token) || (form === 'single' && !alone)) continue
    seen.add(token)
    const weight = tokenWeight(token)
    for (let place = 0; place < PLACES; place++) {
      const hash = hashOf(token, place)
      vector[hash % DIMS]! += hash & 0x100_000 ? weight : -weight
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
