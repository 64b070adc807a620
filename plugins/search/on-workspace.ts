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
    const state = provider && stateOf(provider)
    return [
      { key: 'model.embeddings', value: nameOf(ctx.config(searchConfig).provider), source: 'deployment' },
      ...(state
        ? [{ key: 'model.embeddings_state', value: state.en, source: 'deployment' as const, shown: state }]
        : []),
      ...(model === null ? [] : [{ key: 'model.embeddings_model', value: model, source: 'deployment' as const }]),
    ]
  },
})

/** Removes local folders, which only operators may see. */
const nameOf = (setting: string): string => setting.replace(/^local:.*[/\\]/, 'local:')

/** Describes whether the provider responds, and its dimensions. */
function stateOf(provider: EmbeddingProvider): Record<'en' | 'ja', string> {
  const last = lastAnswer(provider)
  const problem = last?.problem && { en: last.problem, ja: last.problem, ...provider.problem?.() }
  if (problem) return { en: `does not answer: ${problem.en}`, ja: `応答がありません: ${problem.ja}` }
  const { en, ja } = last === undefined ? NOT_ASKED : last.ok ? ANSWERS : SILENT
  if (provider.dims === null) return { en, ja }
  return { en: `${en}, ${provider.dims} dimensions`, ja: `${ja}、${provider.dims}次元` }
}

const NOT_ASKED = { en: 'not asked yet', ja: 'まだ問い合わせていません' }
const ANSWERS = { en: 'answers', ja: '応答しています' }
const SILENT = { en: 'does not answer', ja: '応答がありません' }
