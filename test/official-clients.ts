import {
  auth as authModern,
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client'
import { auth, type OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import type { CallTool } from './issues.ts'

/** Result that a client passes to its caller. */
export interface Answer {
  readonly text: string
  readonly isError: boolean
}

/** A client connection. */
export interface Connection {
  readonly toolNames: readonly string[]
  /** Calls a tool and returns the client's view of the result. @throws if the client does */
  ask(name: string, args: object): Promise<Answer>
  close(): Promise<void>
}

/** A connection of an official client, which checks every result against the output schema of its tool. */
export interface OfficialConnection extends Connection {
  /** The negotiated revision. */
  readonly revision: string | undefined
  /** Calls a tool and returns its data. @throws if the result is an error */
  readonly call: CallTool
}

/** How a client connects to the service. */
export interface Access {
  readonly url: string
  readonly token?: string
  /** Signs in; otherwise the client sends a token. */
  readonly provider?: OAuthClientProvider
  /** Whether the client declares elicitation and its user declines; default: no elicitation. */
  readonly declines?: boolean
}

export type ClientName = 'client 2.x, 2026-07-28' | 'client 2.x, 2025-11-25' | 'SDK 1.x'

/** Connects with each of the official clients. */
export const OFFICIAL_CLIENTS: Readonly<Record<ClientName, (access: Access) => Promise<OfficialConnection>>> = {
  'client 2.x, 2026-07-28': access => modern(access, { pin: '2026-07-28' }),
  'client 2.x, 2025-11-25': access => modern(access, 'legacy'),
  'SDK 1.x': classic,
}

const INFO = { name: 'tasuki test', version: '1.0.0' }
const DECLINED = { action: 'decline' as const }

/** Options of the transports, which are the same in both clients. */
function transportOptions({ token, provider }: Access): {
  requestInit?: { headers: Record<string, string> }
  authProvider?: OAuthClientProvider
} {
  return {
    ...(token !== undefined && { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
    ...(provider && { authProvider: provider }),
  }
}

async function modern(access: Access, mode: 'legacy' | { pin: string }): Promise<OfficialConnection> {
  const client = new ModernClient(INFO, {
    versionNegotiation: { mode },
    ...(access.declines && { capabilities: { elicitation: {} } }),
  })
  if (access.declines) client.setRequestHandler('elicitation/create', () => DECLINED)
  await client.connect(new ModernTransport(new URL(access.url), transportOptions(access)))
  const { tools } = await client.listTools()
  return official(tools, client.getNegotiatedProtocolVersion(), client)
}

async function classic(access: Access): Promise<OfficialConnection> {
  const client = new Client(INFO, access.declines ? { capabilities: { elicitation: {} } } : {})
  if (access.declines) client.setRequestHandler(ElicitRequestSchema, () => DECLINED)
  const transport = new StreamableHTTPClientTransport(new URL(access.url), transportOptions(access))
  await client.connect(transport)
  const { tools } = await client.listTools()
  return official(tools, transport.protocolVersion, client)
}

/** Redeems the authorization code; `callback` has the query of the redirect. */
export type RedeemCode = (provider: OAuthClientProvider, serverUrl: string, callback: URLSearchParams) => Promise<void>

/** Redeems a code as libraries on SDK 1.x do. */
export const redeemClassic: RedeemCode = async (provider, serverUrl, callback) => {
  await auth(provider, { serverUrl, authorizationCode: callback.get('code')! })
}

/** Redeems a code as libraries on the 2.x client do. */
export const redeemModern: RedeemCode = async (provider, serverUrl, callback) => {
  await authModern(provider, { serverUrl, authorizationCode: callback.get('code')!, iss: callback.get('iss')! })
}

type Result = Readonly<Record<string, unknown>>

function official(
  tools: readonly { readonly name: string }[],
  revision: string | undefined,
  client: {
    callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<Result>
    close(): Promise<void>
  },
): OfficialConnection {
  const send = (name: string, args: object): Promise<Result> => client.callTool({ name, arguments: { ...args } })
  return {
    revision,
    toolNames: tools.map(({ name }) => name),
    async call(name, args) {
      const result = await send(name, args)
      if (result['isError'] === true) throw new Error(`${name} was refused: ${JSON.stringify(result['content'])}`)
      return result['structuredContent']
    },
    ask: async (name, args) => answerOf(await send(name, args)),
    close: () => client.close(),
  }
}

/** Extracts the texts of a CallToolResult, and whether it is an error. */
export function answerOf(result: Result): Answer {
  const content = result['content'] as readonly { type: string; text?: string }[]
  return {
    text: content.map(({ text = '' }) => text).join('\n'),
    isError: result['isError'] === true,
  }
}
