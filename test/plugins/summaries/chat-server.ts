import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server with OpenAI's chat completions API, like Ollama and vLLM. */
export interface ChatServer {
  readonly url: string
  /** Bodies and keys of the requests so far. */
  readonly requests: {
    readonly model: string
    readonly messages: readonly { readonly role: string; readonly content: string }[]
    readonly key: string | undefined
  }[]
  /** Text of its answers; null = an answer without a choice. */
  answer: string | null
  fault: 'none' | 'error' | 'hang'
  close(): Promise<void>
}

export async function startChatServer(): Promise<ChatServer> {
  const state: ChatServer = {
    url: '',
    requests: [],
    answer: 'A summary.',
    fault: 'none',
    close: () =>
      new Promise(closed => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
  const answer = async (request: IncomingMessage): Promise<{ status: number; body: object }> => {
    const { model, messages } = JSON.parse((await request.toArray()).join('')) as ChatServer['requests'][number]
    if (request.method !== 'POST' || request.url !== '/v1/chat/completions') return { status: 404, body: {} }
    state.requests.push({ model, messages, key: request.headers.authorization })
    if (state.fault === 'hang') await new Promise(() => undefined)
    if (state.fault === 'error') return { status: 503, body: { error: { message: 'model is loading' } } }
    const choices = state.answer === null ? [] : [{ index: 0, message: { role: 'assistant', content: state.answer } }]
    return { status: 200, body: { object: 'chat.completion', model, choices } }
  }
  const server = createServer((request, response) => {
    void answer(request).then(({ status, body }) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
    )
  })
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  return Object.assign(state, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` })
}
