import { clip, HostError, keyFrom } from 'tasuki/plugin'
import { searchConfig } from '../config.ts'
import type { EmbeddingProvider, EmbeddingSource } from '../points.ts'

/** Any server that speaks OpenAI's embeddings API: Ollama, vLLM, llama.cpp, hosted ones. */
export const openai: EmbeddingSource = {
  name: 'openai',
  open(ctx): EmbeddingProvider {
    const { url, model, dims, key_env: keyName, timeout_ms: timeout, ...rest } = ctx.config(searchConfig)
    if (url === undefined || model === undefined || dims === undefined)
      throw new HostError('config of plugin search: provider openai needs url, model and dims')
    // Now, so that a key that is not there stops the start.
    const key = keyFrom('key_env of plugin search', keyName)
    const endpoint = `${url.replace(/\/+$/, '')}/embeddings`
    const prefixes = { query: rest.query_prefix, text: rest.text_prefix }
    return {
      name: 'openai',
      model: `${model}/${dims}${prefixes.text === '' ? '' : `/${prefixes.text}`}`,
      dims,
      async embed(texts, { of, signal }) {
        const response = await fetch(endpoint, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
          body: JSON.stringify({ model, input: texts.map(text => prefixes[of] + text), encoding_format: 'float' }),
          signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
        })
        if (!response.ok)
          throw new Error(`${endpoint} answered ${response.status}: ${clip(await response.text(), 300)}`)
        return vectorsOf(await response.json(), texts.length, dims)
      },
    }
  },
}

/** Reads the answer; its entries need not be in the order of the texts. */
function vectorsOf(answer: unknown, count: number, dims: number): (readonly number[])[] {
  const { data } = answer as { data?: readonly { index?: number; embedding?: readonly number[] }[] }
  const vectors: (readonly number[])[] = []
  for (const [n, { index = n, embedding = [] }] of (data ?? []).entries()) vectors[index] = embedding
  const wrong = Array.from({ length: count }, (_, n) => vectors[n]?.length ?? 0).find(length => length !== dims)
  if (wrong !== undefined)
    throw new Error(`the embedding server gave a vector of ${wrong} numbers where the config says dims ${dims}`)
  return vectors
}
