import { clip, HostError, keyFrom, type ReadContext } from 'tasuki/plugin'
import { searchConfig } from '../config.ts'
import type { EmbeddingProvider, EmbeddingSource } from '../points.ts'

/** Any server with OpenAI's embeddings API: vLLM, llama.cpp, hosted ones. */
export const openai: EmbeddingSource = {
  name: 'openai',
  open: (ctx, model) => openServer(ctx, 'openai', model, model === undefined ? undefined : 'https://api.openai.com/v1'),
}

/** Ollama, with the same API; default: on this machine. */
export const ollama: EmbeddingSource = {
  name: 'ollama',
  open: (ctx, model) => openServer(ctx, 'ollama', model, 'http://localhost:11434/v1'),
}

/** Maximum dimensions of pgvector's index. */
const DIMS_MAX = 4000

function openServer(
  ctx: Pick<ReadContext, 'config'>,
  name: string,
  modelName: string | undefined,
  address: string | undefined,
): EmbeddingProvider {
  const {
    url = address,
    model = modelName,
    dims: set,
    key_env: keyName,
    timeout_ms: timeout,
    ...rest
  } = ctx.config(searchConfig)
  if (url === undefined || model === undefined)
    throw new HostError(
      `config of plugin search: provider ${name} needs ${url === undefined ? 'url and ' : ''}model; "${name}:<model>" names it in one word`,
    )
  // Read now, so that a missing key aborts the boot.
  const key = keyFrom('key_env of plugin search', keyName)
  const endpoint = `${url.replace(/\/+$/, '')}/embeddings`
  const prefixes = { query: rest.query_prefix, text: rest.text_prefix }
  let dims = set ?? null
  return {
    name,
    get dims() {
      return dims
    },
    get model() {
      return `${model}${dims === null ? '' : `/${dims}`}${prefixes.text === '' ? '' : `/${prefixes.text}`}`
    },
    async embed(texts, { of, signal }) {
      const response = await fetch(endpoint, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
        body: JSON.stringify({ model, input: texts.map(text => prefixes[of] + text), encoding_format: 'float' }),
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
      })
      if (!response.ok) throw new Error(`${endpoint} answered ${response.status}: ${clip(await response.text(), 300)}`)
      const vectors = vectorsOf(await response.json(), texts.length, dims)
      dims ??= vectors[0]?.length ?? null
      return vectors
    },
  }
}

/** Reads the response, whose entries may be in any order. */
function vectorsOf(answer: unknown, count: number, dims: number | null): (readonly number[])[] {
  const { data } = answer as { data?: readonly { index?: number; embedding?: readonly number[] }[] }
  const vectors: (readonly number[])[] = []
  for (const [n, { index = n, embedding = [] }] of (data ?? []).entries()) vectors[index] = embedding
  const lengths = Array.from({ length: count }, (_, n) => vectors[n]?.length ?? 0)
  const expected = dims ?? lengths[0]
  const wrong = lengths.find(length => length !== expected)
  if (wrong !== undefined)
    throw new Error(
      `the embedding server gave a vector of ${wrong} numbers where ${expected} are expected (dims of the config)`,
    )
  if (expected !== undefined && (expected < 2 || expected > DIMS_MAX))
    throw new Error(`the embedding server gives vectors of ${expected} numbers; 2 to ${DIMS_MAX} can be stored`)
  return vectors
}
