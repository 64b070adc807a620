import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server with OpenAI's embeddings API, like Ollama and vLLM. */
export interface EmbeddingServer {
  readonly url: string
  /** Bodies and keys of the requests so far. */
  readonly requests: { readonly model: string; readonly input: readonly string[]; readonly key: string | undefined }[]
  /** Simulated fault. */
  fault: 'none' | 'error' | 'hang' | 'short' | 'zero' | 'huge'
  /** Runs before each answer. */
  meanwhile: () => Promise<void>
  close(): Promise<void>
}

/** Groups of synonyms; the embedding of a text tells which groups it mentions. */
const MEANINGS = [
  ['dog', 'puppy', '犬'],
  ['car', 'vehicle', '自動車'],
  ['money', 'invoice', '請求書'],
  ['rain', 'weather', '天気'],
]
/** Number of dimensions with noise that is specific to each text, as in real models. */
const NOISE = 32
export const DIMS = MEANINGS.length + 1 + NOISE

function meaning(text: string): number[] {
  const groups = MEANINGS.map(words => words.filter(word => text.toLowerCase().includes(word)).length)
  return [0.05, ...groups, ...noiseOf(text)]
}

/** Returns small noise in a direction that depends on the text. */
function noiseOf(text: string): number[] {
  let seed = Array.from(text).reduce((sum, letter) => (Math.imul(sum, 31) + letter.codePointAt(0)!) >>> 0, 7)
  return Array.from({ length: NOISE }, () => {
    seed = (Math.imul(seed ^ (seed >>> 15), 0x2c1b_3c6d) + 0x9e37_79b1) >>> 0
    return 0.03 * (seed & 0x8000 ? 1 : -1)
  })
}

function vectorOf(text: string, fault: EmbeddingServer['fault']): number[] {
  if (fault === 'short') return meaning(text).slice(0, 2)
  if (fault === 'zero') return Array.from({ length: DIMS }, () => 0)
  // The square of such a number overflows a double.
  if (fault === 'huge') return Array.from({ length: DIMS }, () => 1e308)
  return meaning(text)
}

export async function startEmbeddingServer(): Promise<EmbeddingServer> {
  const state: EmbeddingServer = {
    url: '',
    requests: [],
    fault: 'none',
    meanwhile: () => Promise.resolve(),
    close: () =>
      new Promise(closed => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
  const server = createServer((request, response) => {
    const reply = async (): Promise<void> => {
      const { status, body } = await answer(request)
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    void reply()
  })
  const answer = async (request: IncomingMessage): Promise<{ status: number; body: object }> => {
    const { model, input } = JSON.parse((await request.toArray()).join('')) as { model: string; input: string[] }
    if (request.method !== 'POST' || request.url !== '/v1/embeddings') return { status: 404, body: {} }
    state.requests.push({ model, input, key: request.headers.authorization })
    await state.meanwhile()
    if (state.fault === 'hang') await new Promise(() => undefined)
    if (state.fault === 'error') return { status: 503, body: { error: { message: 'model is loading' } } }
    const data = input.map((text, index) => ({
      object: 'embedding',
      index,
      embedding: vectorOf(text, state.fault),
    }))
    // The API allows any order; a client must use the index.
    return { status: 200, body: { object: 'list', model, data: data.toReversed() } }
  }
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  return Object.assign(state, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` })
}
