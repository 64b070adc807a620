import { firstCharacters, HostError, oncePer, type ReadContext } from 'tasuki/plugin'
import { searchConfig } from '../config.ts'
import { embeddingProviders, type EmbeddingProvider, type QueryVector } from '../points.ts'
import type { Word } from '../text/words.ts'
import { embed } from './embed.ts'
import { floorOf } from './floor.ts'

/** Uses synonyms instead of vectors. */
export const BUILT_IN = 'built-in'

/** Returns whether semantic searches use words and synonyms. */
export function usesSynonyms(ctx: Pick<ReadContext, 'config'>): boolean {
  return ctx.config(searchConfig).provider === BUILT_IN
}

/** Returns the configured vector provider, created once per host; null for synonyms or none. @throws HostError for an unknown name */
export const providerOf = (ctx: Pick<ReadContext, 'all' | 'config'>): EmbeddingProvider | null => opened(ctx.all, ctx)

const opened = oncePer((_all, ctx: Pick<ReadContext, 'all' | 'config'>): EmbeddingProvider | null => {
  const { provider: setting } = ctx.config(searchConfig)
  const [, name = '', model] = /^([^:]*)(?::(.+))?$/s.exec(setting) ?? []
  if (name === 'none' || name === BUILT_IN) return null
  const sources = ctx.all(embeddingProviders)
  const source = sources.find(each => each.name === name)
  if (source) return source.open(ctx, model)
  const known = [BUILT_IN, ...sources.map(each => each.name), 'none'].join(', ')
  throw new HostError(`config of plugin search: there is no provider "${setting}"; known are ${known}`)
})

/** Embeds a query; null, with a warning, if no provider responds. */
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

/** Returns the part of a text to embed: its beginning. */
export function embeddedPart(ctx: Pick<ReadContext, 'config'>, text: string): string {
  return firstCharacters(text, ctx.config(searchConfig).text_max)
}
