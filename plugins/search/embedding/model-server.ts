import { outsideServices } from 'tasuki/plugin'
import { embed, providerOf } from './provider.ts'

/** `tasuki doctor` has it make a vector. */
export const modelServer = outsideServices(ctx => {
  const provider = providerOf(ctx)
  if (!provider || provider.local) return null
  return {
    what: `search: the embedding provider ${provider.name} (${provider.model})`,
    mend: 'check url, model, dims and key_env of the plugin search, and that the server runs',
    attempt: signal => embed(provider, ['tasuki'], { of: 'query', signal }),
  }
})
