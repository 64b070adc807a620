import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, fromJsonSchema, McpServer, Server, type JsonSchemaType } from '@modelcontextprotocol/server'
import Fastify, { type FastifyInstance } from 'fastify'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { loadConfig } from '../../../core/host/config/load.ts'
import { configFolder } from '../../../core/host/start.ts'
import { loadPlugins } from '../../../core/host/config/plugins.ts'
import { readEnvironment } from '../../../core/host/config/environment.ts'
import type { Principal } from '../../../core/runtime/principal.ts'
import { mcpEndpoint } from '../../../core/mcp/endpoint.ts'
import { compile } from '../../../core/runtime/registry/compile.ts'
import { stubRunner } from '../../core/mcp/stub.ts'
import { plugin as echo } from '../echo.ts'

/** Kind of server. Each runs in a process of its own; all answer calls of `bench_echo` and list the same tools. */
export type Kind = 'tasuki' | 'McpServer' | 'Server'

export interface Tool {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema: JsonSchemaType
  readonly outputSchema?: JsonSchemaType
}

export interface TransportOptions {
  readonly kind: Kind
  /** The tools that tasuki lists; empty for tasuki itself. */
  readonly tools: readonly Tool[]
}

export const TOKEN = 'writer'
const INFO = { name: 'demo', title: 'Demo', version: '1.2.3' }

const PRINCIPAL: Principal = {
  actor: {
    userId: '0198b000-0000-7000-8000-000000000001',
    kind: 'agent',
    scope: 'write',
    credentialId: '0198b000-0000-7000-8000-00000000000a',
    credentialLabel: 'bench',
    projects: null,
    client: null,
  },
  user: { id: '0198b000-0000-7000-8000-000000000001', email: 'ann@example.com', name: 'Ann', timeZone: 'UTC' },
  claims: new Map(),
  expiresAt: null,
}

if (process.send) {
  const [{ kind, tools }] = (await once(process, 'message')) as [TransportOptions]
  const app = kind === 'tasuki' ? await tasuki() : sdk(kind, tools)
  await app.listen({ host: '127.0.0.1', port: 0 })
  process.send((app.server.address() as AddressInfo).port)
}

/** Starts the endpoint with all plugins and no database. */
async function tasuki(): Promise<FastifyInstance> {
  const config = await loadConfig(undefined)
  const plugins = await loadPlugins(config, configFolder(readEnvironment({})))
  const added = [...plugins, { plugin: echo, options: {} }].map(({ plugin, options }) => ({
    spec: plugin.spec,
    options,
  }))
  const registry = compile(added, config.profiles)
  const app = Fastify()
  await app.register(mcpEndpoint, {
    registry,
    runner: stubRunner(registry, { now: new Date(), revoked: new Set(), ran: [], logged: [] }),
    authenticate: async token => (token === TOKEN ? PRINCIPAL : null),
    server: INFO,
    metadataUrl: () => null,
    allowedHosts: ['127.0.0.1'],
    allowedOrigins: [],
    confirm: 'ask',
    bodyLimit: config.body_limit,
    signingKey: Buffer.alloc(32, 1),
    now: () => new Date(),
  })
  return app
}

/** Mounts the SDK as its guide does: one server per request, over schemas that are compiled once. */
function sdk(kind: 'McpServer' | 'Server', tools: readonly Tool[]): FastifyInstance {
  const known = tools.map(tool => ({
    tool,
    input: fromJsonSchema<{ text: string }>(tool.inputSchema),
    output: tool.outputSchema && fromJsonSchema(tool.outputSchema),
  }))
  const answer = (data: object) => ({
    content: [{ type: 'text' as const, text: JSON.stringify(data) }],
    structuredContent: data as Record<string, unknown>,
  })
  const withTools = (): McpServer => {
    const server = new McpServer(INFO, { capabilities: { tools: {} } })
    for (const { tool, input, output } of known) {
      const { name, title, description } = tool
      const about = { ...(title && { title }), ...(description && { description }) }
      server.registerTool(name, { ...about, inputSchema: input, ...(output && { outputSchema: output }) }, args =>
        answer({ text: args.text }),
      )
    }
    return server
  }
  const byName = new Map(known.map(each => [each.tool.name, each]))
  const list = { tools: [...tools] as never[] }
  const bare = (): Server => {
    const server = new Server(INFO, { capabilities: { tools: {} } })
    server.setRequestHandler('tools/list', () => list)
    server.setRequestHandler('tools/call', async ({ params }) => {
      const found = byName.get(params.name)
      const checked = await found?.input['~standard'].validate(params.arguments)
      if (!checked || checked.issues) throw new Error('invalid arguments')
      return answer({ text: checked.value.text })
    })
    return server
  }
  const handle = toNodeHandler(createMcpHandler(kind === 'McpServer' ? withTools : bare))
  const app = Fastify()
  app.post('/mcp', async (request, reply) => {
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return reply.code(401).send()
    reply.hijack()
    return handle(request.raw as Parameters<typeof handle>[0], reply.raw, request.body)
  })
  return app
}
