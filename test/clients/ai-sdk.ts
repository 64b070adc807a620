import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import { answerOf, type RedeemCode } from '../official-clients.ts'
import { load, signInThroughBrowser, type Client } from './client.ts'

interface AiSdk {
  createMCPClient(config: object): Promise<{
    tools(): Promise<
      Readonly<Record<string, { execute(args: object, options: object): Promise<Record<string, unknown>> }>>
    >
    onElicitationRequest(schema: unknown, handler: () => object): void
    close(): Promise<void>
  }>
  readonly ElicitationRequestSchema: unknown
  auth(provider: OAuthClientProvider, options: object): Promise<unknown>
}
const aiSdkPackage = (): Promise<AiSdk> => load<AiSdk>('@ai-sdk/mcp')

const redeem: RedeemCode = async (provider, serverUrl, callback) => {
  const { auth } = await aiSdkPackage()
  await auth(provider, { serverUrl, authorizationCode: callback.get('code'), callbackState: callback.get('state') })
}

const connect: Client['connect'] = async ({ url, token, provider, declines }) => {
  const { createMCPClient, ElicitationRequestSchema } = await aiSdkPackage()
  const client = await createMCPClient({
    transport: {
      type: 'http',
      url,
      ...(token !== undefined && { headers: { Authorization: `Bearer ${token}` } }),
      ...(provider && { authProvider: provider }),
    },
    ...(declines && { capabilities: { elicitation: {} } }),
  })
  if (declines) client.onElicitationRequest(ElicitationRequestSchema, () => ({ action: 'decline' }))
  const tools = await client.tools()
  return {
    toolNames: Object.keys(tools),
    ask: async (name, args) => answerOf(await tools[name]!.execute(args, { toolCallId: name, messages: [] })),
    close: () => client.close(),
  }
}

/** The MCP client of the AI SDK, called through the tools that it generates for models. */
export const aiSdk: Client = {
  name: 'AI SDK',
  asks: true,
  connect,
  signIn: signInThroughBrowser(connect, redeem),
}
