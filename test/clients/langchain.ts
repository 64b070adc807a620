import { redeemClassic } from '../official-clients.ts'
import { load, signInThroughBrowser, type Client } from './client.ts'

interface LangChain {
  readonly MultiServerMCPClient: new (config: object) => {
    getTools(): Promise<readonly { readonly name: string; invoke(args: object): Promise<unknown> }[]>
    close(): Promise<void>
  }
}

const connect: Client['connect'] = async ({ url, token, provider }) => {
  const { MultiServerMCPClient } = await load<LangChain>('@langchain/mcp-adapters')
  const unchecked = new Map<string, object>()
  const client = new MultiServerMCPClient({
    mcpServers: {
      tasuki: {
        url,
        ...(token !== undefined && { headers: { Authorization: `Bearer ${token}` } }),
        ...(provider && { authProvider: provider }),
      },
    },
    beforeToolCall: ({ name }: { name: string }) => ({ args: unchecked.get(name) ?? {} }),
  })
  const tools = new Map((await client.getTools()).map(tool => [tool.name, tool]))
  return {
    toolNames: [...tools.keys()],
    async ask(name, args) {
      // LangChain validates arguments itself; arguments that only the service must refuse are added after this validation.
      const { nowhere, ...known } = args as { readonly nowhere?: unknown }
      if (nowhere === undefined) unchecked.delete(name)
      else unchecked.set(name, { nowhere })
      try {
        return { text: textOf(await tools.get(name)!.invoke(known)), isError: false }
      } catch (error) {
        return { text: String(error), isError: true }
      }
    },
    close: () => client.close(),
  }
}

/** The LangChain adapters. A refusal becomes an exception of the tool, and agents see its text. */
export const langchain: Client = {
  name: 'LangChain adapters',
  asks: false,
  connect,
  signIn: signInThroughBrowser(connect, redeemClassic),
}

const textOf = (answer: unknown): string => (typeof answer === 'string' ? answer : JSON.stringify(answer))
