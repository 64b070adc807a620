import { firstCharacters, HostError, type All, type ReadContext } from 'tasuki/plugin'
import { searchConfig } from '../config.ts'
import { embeddingProviders, type EmbeddingProvider, type QueryVector } from '../points.ts'
import type { Word } from '../text/words.ts'
import { embed } from './embed.ts'
import { floorOf } from './floor.ts'

/** Synonyms instead of vectors. */
export const BUILT_IN = 'built-in'

/** Whether searches by meaning are searches by words and their synonyms. */
export function usesSynonyms(ctx: Pick<ReadContext, 'config'>): boolean {
  return ctx.config(searchConfig).provider === BUILT_IN
}

const opened = new WeakMap<All, EmbeddingProvider | null>()

/** The provider of vectors that the config names; null for synonyms and none. Made once per host. @throws HostError when there is none of that name */
export function providerOf(ctx: Pick<ReadContext, 'all' | 'config'>): EmbeddingProvider | null {
  let provider = opened.get(ctx.all)
  if (provider === undefined) {
    provider = openProvider(ctx)
    opened.set(ctx.all, provider)
  }
  return provider
}

function openProvider(ctx: Pick<ReadContext, 'all' | 'config'>): EmbeddingProvider | null {
  const { provider: setting } = ctx.config(searchConfig)
  const [, name = '', model] = /^([^:]*)(?::(.+))?$/s.exec(setting) ?? []
  if (name === 'none' || name === BUILT_IN) return null
  const sources = ctx.all(embeddingProviders)
  const source = sources.find(each => each.name === name)
  if (source) return source.open(ctx, model)
  const known = [BUILT_IN, ...sources.map(each => each.name), 'none'].join(', ')
  throw new HostError(`config of plugin search: there is no provider "${setting}"; known are ${known}`)
}

/** Makes the vector of a query; null, with a warning, without a provider that answers. */
export async function queryVector(
  ctx: ReadContext,
  words: readonly Word[],
  warnings: string[],
): Promise<QueryVector | null> {
  const provider = providerOf(ctx)
  if (!provider) {
    warnings.push('No embedding provider is configured: this is full text.')
    return null
  }
  try {
    const text = words.map(word => word.text).join(' ')
    const [vector] = await embed(provider, [text], { of: 'query', signal: ctx.signal })
    if (vector) return { provider, vector, floor: await floorOf(provider, ctx.signal) }
    warnings.push(`The embedding provider ${provider.name} makes no vector of these words: this is full text.`)
    return null
  } catch (error) {
    ctx.signal.throwIfAborted()
    ctx.log.warn({ err: error, provider: provider.name }, 'the embedding provider does not answer')
    warnings.push(`The embedding provider ${provider.name} does not answer: this is full text.`)
    return null
  }
}

/** The beginning of a text, which is embedded. */
export function embeddedPart(ctx: Pick<ReadContext, 'config'>, text: string): string {
  return firstCharacters(text, ctx.config(searchConfig).text_max)
}
