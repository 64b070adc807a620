import { settingSources } from '../workspace/points.ts'
import type { EmbeddingProvider } from './points.ts'
import { searchConfig } from './config.ts'
import { lastAnswer } from './embedding/embed.ts'
import { providerOf, usesSynonyms } from './embedding/provider.ts'
import { SYNONYMS } from './synonyms/dictionary.ts'

/** The provider of vectors for `query`, and its model. */
export const modelSettings = settingSources({
  settings(ctx) {
    const provider = providerOf(ctx)
    const model = provider?.model ?? (usesSynonyms(ctx) ? SYNONYMS : null)
    return [
      { key: 'model.embeddings', value: nameOf(ctx.config(searchConfig).provider), source: 'deployment' },
      ...(provider ? [{ key: 'model.embeddings_state', value: stateOf(provider), source: 'deployment' as const }] : []),
      ...(model === null ? [] : [{ key: 'model.embeddings_model', value: model, source: 'deployment' as const }]),
    ]
  },
})

/** Removes local folders, which only operators may see. */
function nameOf(setting: string): string {
  return setting.replace(/^local:.*[/\\]/, 'local:')
}

/** Describes whether the provider responds, and its dimensions. */
function stateOf(provider: EmbeddingProvider): string {
  const last = lastAnswer(provider)
  if (last?.problem) return `does not answer: ${last.problem}`
  const state = last === null ? 'not asked yet' : last.ok ? 'answers' : 'does not answer'
  return provider.dims === null ? state : `${state}, ${provider.dims} dimensions`
}
