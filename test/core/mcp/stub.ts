import Fastify, { type FastifyInstance, type LightMyRequestResponse } from 'fastify'
import { readBodies } from '../../../core/http/bodies.ts'
import type { Principal } from '../../../core/runtime/principal.ts'
import type { CallScope, Runner } from '../../../core/runtime/runner.ts'
import { mcpEndpoint } from '../../../core/mcp/endpoint.ts'
import type { McpOptions } from '../../../core/mcp/options.ts'
import type { PluginSpec } from '../../../core/plugin/index.ts'
import type { WriteContext } from '../../../core/plugin/context.ts'
import { compile } from '../../../core/runtime/registry/compile.ts'
import type { Registry } from '../../../core/runtime/registry/types.ts'
import { demoPlugin, type World } from './demo-plugin.ts'

export const BASE_URL = 'https://tasks.example'
export const NOW = new Date('2026-11-20T12:00:00Z')

const user = { id: '0198b000-0000-7000-8000-000000000001', email: 'ann@example.com', name: 'Ann', timeZone: 'UTC' }

function principal(scope: 'read' | 'write', credentialId: string): Principal {
  const actor = {
    userId: user.id,
    kind: 'agent',
    scope,
    credentialId,
    credentialLabel: 'test',
    projects: null,
    client: null,
  } as const
  return { actor, user, claims: new Map(), expiresAt: null }
}
const principals: Readonly<Record<string, Principal>> = {
  writer: principal('write', '0198b000-0000-7000-8000-00000000000a'),
  reader: principal('read', '0198b000-0000-7000-8000-00000000000b'),
  other: principal('write', '0198b000-0000-7000-8000-00000000000c'),
}

/** Makes a runner without a database. */
export function stubRunner(registry: Registry, world: World): Runner {
  const context = (scope: CallScope): WriteContext =>
    ({
      actor: { ...scope.principal.actor, client: scope.clientName },
      call: { name: scope.name, requestId: scope.requestId, ifUpdatedAt: scope.ifUpdatedAt },
      now: world.now,
      get signal() {
        return scope.cancellation.signal
      },
      log: scope.log,
      client: scope.client,
      all: registry.all,
    }) as unknown as WriteContext
  const run: Runner['read'] = async (scope, work) => work(context(scope))
  return { read: run, write: run as Runner['write'], writeWithoutTransaction: run as Runner['writeWithoutTransaction'] }
}

export interface Demo {
  readonly app: FastifyInstance
  readonly world: World
  readonly registry: Registry
}
export interface DemoOptions extends Partial<Omit<McpOptions, 'runner'>> {
  readonly plugins?: readonly PluginSpec[]
  readonly runner?: (registry: Registry, world: World) => Runner
}

/** Starts an endpoint on a small registry. Close `app` at the end. */
export async function startDemo({ plugins = [], runner = stubRunner, ...options }: DemoOptions = {}): Promise<Demo> {
  const world: World = { now: NOW, revoked: new Set(), ran: [], logged: [] }
  const added = [demoPlugin(world), ...plugins].map(spec => ({ spec, options: {} }))
  const profiles = { 'full-access': { '*': ['R', 'W', 'WD'] }, reading: { '*': ['R'] } }
  const registry = compile(added, profiles as never)
  const stream = { write: (line: string) => void world.logged.push(JSON.parse(line) as object) }
  const app = Fastify({ logger: { level: 'warn', stream } })
  readBodies(app)
  await app.register(mcpEndpoint, {
    registry,
    runner: runner(registry, world),
    authenticate: async (token: string) => (world.revoked.has(token) ? null : (principals[token] ?? null)),
    server: { name: 'demo', title: 'Demo', version: '1.2.3' },
    metadataUrl: () => `${BASE_URL}/.well-known/oauth-protected-resource/mcp`,
    allowedHosts: ['localhost', '127.0.0.1'],
    allowedOrigins: ['localhost', 'app.example'],
    confirm: 'ask',
    bodyLimit: 2_000_000,
    signingKey: Buffer.alloc(32, 1),
    now: () => world.now,
    ...options,
  })
  return { app, world, registry }
}

type Json = Readonly<Record<string, unknown>>

/** Formats a JSON-RPC request. */
export function rpc(method: string, params?: Json, id: number | string = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, ...(params && { params }) })
}

export const LEGACY_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  authorization: 'Bearer writer',
  'user-agent': 'probe/1',
}
export function legacyHeaders(revision: string): Record<string, string> {
  return { ...LEGACY_HEADERS, 'mcp-protocol-version': revision }
}

const PREFIX = 'io.modelcontextprotocol/'
export function modernMeta(capabilities: Json = {}, more: Json = {}): Json {
  return {
    [`${PREFIX}protocolVersion`]: '2026-07-28',
    [`${PREFIX}clientInfo`]: { name: 'probe', version: '1' },
    [`${PREFIX}clientCapabilities`]: capabilities,
    ...more,
  }
}
export function modernHeaders(method: string, name?: string): Record<string, string> {
  return {
    ...legacyHeaders('2026-07-28'),
    'mcp-method': method,
    ...(name !== undefined && { 'mcp-name': name }),
  }
}

export interface Post {
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
  readonly url?: string
}
/** Requests of 2026-07-28, requests of a 2025 revision, and arbitrary text with the headers of a client. */
export const modern = (method: string, params: object = {}, headers: Record<string, string> = {}): Post => {
  const { name, uri } = params as { name?: string; uri?: string }
  return {
    body: rpc(method, { ...params, _meta: modernMeta() }),
    headers: { ...modernHeaders(method, name ?? uri), ...headers },
  }
}
export const withoutHeader = ({ body, headers }: Post, name: string): Post => ({
  body,
  headers: Object.fromEntries(Object.entries(headers!).filter(([key]) => key !== name)),
})
export const legacy = (revision: string, method: string, params?: Readonly<Record<string, unknown>>): Post => ({
  body: rpc(method, params),
  headers: legacyHeaders(revision),
})
export const plain = (body: string, headers: Record<string, string> = {}): Post => ({
  body,
  headers: { ...LEGACY_HEADERS, ...headers },
})

export function send(
  app: FastifyInstance,
  { body, headers = LEGACY_HEADERS, url = '/mcp' }: Post,
): Promise<LightMyRequestResponse> {
  return app.inject({ method: 'POST', url, headers: { host: 'localhost', ...headers }, payload: body })
}

export type ToolResult = {
  readonly content: readonly { readonly type: string; readonly text: string }[]
  readonly structuredContent?: Json
  readonly isError?: boolean
  /** The first text block, parsed: the data or the error. */
  readonly payload: Json & { readonly error?: ErrorShape }
}
export interface ErrorShape {
  readonly code: string
  readonly message: string
  readonly field?: string
  readonly hint?: string
  readonly allowed?: readonly string[]
  readonly retryable: boolean
  readonly details?: Readonly<Record<string, unknown>> & {
    readonly problems?: readonly ErrorShape[]
    readonly confirm_token?: string
  }
}

interface CallOptions {
  readonly meta?: Json
  readonly headers?: Readonly<Record<string, string>>
  readonly more?: Json
}
/** Sends a tools/call of 2025-11-25. Fails if the answer is not a result. */
export async function call(
  app: FastifyInstance,
  name: string,
  args: Json = {},
  options: CallOptions = {},
): Promise<ToolResult> {
  const { meta, headers, more } = options
  const params = { name, arguments: args, ...(meta && { _meta: meta }), ...more }
  const response = await send(app, {
    body: rpc('tools/call', params),
    headers: { ...legacyHeaders('2025-11-25'), ...headers },
  })
  return toolResult(response)
}
/** Sends a tools/call of 2026-07-28. */
export async function callModern(
  app: FastifyInstance,
  name: string,
  args: Json,
  capabilities: Json = {},
  more: Json = {},
): Promise<LightMyRequestResponse> {
  const params = { name, arguments: args, _meta: modernMeta(capabilities), ...more }
  return send(app, { body: rpc('tools/call', params), headers: modernHeaders('tools/call', name) })
}

/** Reads the result of a tools/call, including its text. */
export function toolResult(response: LightMyRequestResponse): ToolResult {
  return readTool(resultOf(response))
}
export function readTool(result: unknown): ToolResult {
  const { content } = result as ToolResult
  const text = content[0]?.text
  return {
    ...(result as ToolResult),
    payload: text?.startsWith('{') ? (JSON.parse(text) as ToolResult['payload']) : {},
  }
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- names the shape that the test expects
export function resultOf<T = Json>(response: LightMyRequestResponse): T {
  const { result, error } = response.json<{ result?: T; error?: unknown }>()
  if (result === undefined) throw new Error(`${response.statusCode}: ${JSON.stringify(error)}`)
  return result
}
export interface RpcFailure {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}
export function errorOf(response: LightMyRequestResponse): RpcFailure {
  const { error } = response.json<{ error?: RpcFailure }>()
  if (!error) throw new Error(`no error: ${response.body}`)
  return error
}
