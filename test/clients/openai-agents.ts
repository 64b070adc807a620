import { redeemClassic } from '../official-clients.ts'
import { load, signInThroughBrowser, type Client } from './client.ts'

interface Server {
  connect(): Promise<void>
  close(): Promise<void>
}
interface OpenAiAgents {
  readonly MCPServerStreamableHttp: new (options: object) => Server
  readonly RunContext: new () => object
  getAllMcpTools(
    servers: readonly Server[],
  ): Promise<readonly { readonly name: string; invoke(context: object, input: string): Promise<unknown> }[]>
}

const connect: Client['connect'] = async ({ url, token, provider }) => {
  const { MCPServerStreamableHttp, RunContext, getAllMcpTools } = await load<OpenAiAgents>('@openai/agents')
  const server = new MCPServerStreamableHttp({
    url,
    name: 'tasuki',
    ...(token !== undefined && { requestInit: { headers: { Authorization: `Bearer ${token}` } } }),
    ...(provider && { authProvider: provider }),
  })
  await server.connect()
  const tools = new Map((await getAllMcpTools([server])).map(tool => [tool.name, tool]))
  const context = new RunContext()
  return {
    toolNames: [...tools.keys()],
    async ask(name, args) {
      const answer = await tools.get(name)!.invoke(context, JSON.stringify(args))
      const { text } = typeof answer === 'string' ? { text: answer } : (answer as { text: string })
      return { text, isError: text.startsWith('{"error":') }
    },
    close: () => server.close(),
  }
}

/** OpenAI Agents, called through the tools that it generates for models. These tools return texts without an error flag. */
export const openAiAgents: Client = {
  name: 'OpenAI Agents',
  asks: false,
  connect,
  signIn: signInThroughBrowser(connect, redeemClassic),
}
