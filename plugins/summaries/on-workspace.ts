import { settingSources } from '../workspace/points.ts'
import { providerOf } from './provider/choose.ts'

/** The provider of summaries, and its model if it has one. */
export const modelSettings = settingSources({
  settings(ctx) {
    const { name, model } = providerOf(ctx)
    return [
      { key: 'model.summaries', value: name, source: 'deployment' },
      ...(model === undefined ? [] : [{ key: 'model.summaries_model', value: model, source: 'deployment' as const }]),
    ]
  },
})
