import { externalServices } from 'tasuki/plugin'
import { providerOf } from './choose.ts'
import { extractive } from './extractive.ts'

/** `tasuki doctor` requests the summary of one sentence. */
export const summaryServer = externalServices(ctx => {
  const provider = providerOf(ctx)
  if (provider.name === extractive.name) return null
  const createdAt = new Date().toISOString()
  const discussions = [{ kind: 'fact' as const, body: 'It works.', author: 'tasuki doctor', createdAt }]
  return {
    what: `summaries: the provider ${provider.name}${provider.model === undefined ? '' : ` (${provider.model})`}`,
    mend: 'check base_url, model and key_env of the plugin summaries, and that the server runs',
    attempt: signal => provider.summarize({ title: 'A test', discussions, maxChars: 100, signal }),
  }
})
