import { settingSources } from '../workspace/points.ts'
import { providerOf } from './embedding/provider.ts'

/** Which provider makes the vectors of `query`, and by which model. */
export const modelSettings = settingSources({
  settings(ctx) {
    const provider = providerOf(ctx)
    return [
      { key: 'model.embeddings', value: provider?.name ?? 'none', source: 'deployment' },
      ...(provider ? [{ key: 'model.embeddings_model', value: provider.model, source: 'deployment' as const }] : []),
    ]
  },
})
