// oxlint-disable-next-line typescript/no-explicit-any -- tests read results of any tool
type Result = any

/** A caller with a token over HTTP. */
export interface HttpCaller {
  /** Sends a request. @returns its result. @throws Error on a JSON-RPC error or an HTTP status without a body */
  rpc(method: string, params?: object): Promise<Result>
  /** @returns the data of the tool, or `{ error }` */
  call(tool: string, args?: object): Promise<Result>
  toolNames(): Promise<string[]>
}

export function httpCaller(origin: string, token: string): HttpCaller {
  const rpc: HttpCaller['rpc'] = async (method, params = {}) => {
    const response = await fetch(`${origin}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const { result, error } = (await response.json()) as { result?: Result; error?: { code: number; message: string } }
    if (error) throw Object.assign(new Error(error.message), { code: error.code, status: response.status })
    return result
  }
  return {
    rpc,
    async call(tool, args = {}) {
      const { isError, content, structuredContent } = await rpc('tools/call', { name: tool, arguments: args })
      return isError ? JSON.parse(content[0].text) : structuredContent
    },
    async toolNames() {
      return (await rpc('tools/list')).tools.map(({ name }: { name: string }) => name)
    },
  }
}
