import { externalServices } from 'tasuki/plugin'
import { dimsOf, embed } from './embed.ts'
import { providerOf } from './provider.ts'

/** `tasuki doctor` requests a vector. */
export const modelServer = externalServices(ctx => {
  const provider = providerOf(ctx)
  if (!provider || provider.local) return null
  return {
    what: `search: the embedding provider ${provider.name} (${provider.model})`,
    mend:
      provider.mend ??
      'check provider, url, model, dims and key_env of the plugin search, and that the server runs and has the model',
    attempt: async signal => {
      await embed(provider, ['tasuki'], { of: 'query', signal })
      return `vectors of ${await dimsOf(provider, signal)} numbers`
    },
  }
})
