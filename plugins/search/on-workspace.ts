import { settingSources } from '../workspace/points.ts'
import { searchConfig } from './config.ts'
import { providerOf, usesSynonyms } from './embedding/provider.ts'
import { SYNONYMS } from './synonyms/dictionary.ts'

/** Which provider makes the vectors of `query`, and by which model. */
export const modelSettings = settingSources({
  settings(ctx) {
    const provider = providerOf(ctx)
    const model = provider?.model ?? (usesSynonyms(ctx) ? SYNONYMS : null)
    return [
      { key: 'model.embeddings', value: ctx.config(searchConfig).provider, source: 'deployment' },
      ...(model === null ? [] : [{ key: 'model.embeddings_model', value: model, source: 'deployment' as const }]),
    ]
  },
})
