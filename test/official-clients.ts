import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { CallTool } from './issues.ts'

/** A connection of one of the official clients, which check every result against the output schema of its tool. */
export interface Connection {
  /** The revision that client and service have agreed on. */
  readonly revision: string | undefined
  readonly toolNames: readonly string[]
  /** Calls a tool and returns its data. @throws when the result is an error */
  readonly call: CallTool
  close(): Promise<void>
}

export type ClientName = 'client 2.x, 2026-07-28' | 'client 2.x, 2025-11-25' | 'SDK 1.x'

/** Connects with each of the official clients. */
export const OFFICIAL_CLIENTS: Readonly<Record<ClientName, (url: string, token: string) => Promise<Connection>>> = {
  'client 2.x, 2026-07-28': (url, token) => modern(url, token, { pin: '2026-07-28' }),
  'client 2.x, 2025-11-25': (url, token) => modern(url, token, 'legacy'),
  'SDK 1.x': classic,
}

const info = { name: 'tasuki test', version: '1.0.0' }
const requestInit = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

async function modern(url: string, token: string, mode: 'legacy' | { pin: string }): Promise<Connection> {
  const client = new ModernClient(info, { versionNegotiation: { mode } })
  await client.connect(new ModernTransport(new URL(url), { requestInit: requestInit(token) }))
  const { tools } = await client.listTools()
  return {
    revision: client.getNegotiatedProtocolVersion(),
    toolNames: tools.map(tool => tool.name),
    call: async (name, args) => data(name, await client.callTool({ name, arguments: { ...args } })),
    close: () => client.close(),
  }
}

async function classic(url: string, token: string): Promise<Connection> {
  const client = new Client(info)
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: requestInit(token) })
  await client.connect(transport)
  const { tools } = await client.listTools()
  return {
    revision: transport.protocolVersion,
    toolNames: tools.map(tool => tool.name),
    call: async (name, args) => data(name, await client.callTool({ name, arguments: { ...args } })),
    close: () => client.close(),
  }
}

function data(name: string, result: Readonly<Record<string, unknown>>): unknown {
  if (result['isError'] === true) throw new Error(`${name} was refused: ${JSON.stringify(result['content'])}`)
  return result['structuredContent']
}
