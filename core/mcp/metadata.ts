import type { IncomingHttpHeaders } from 'node:http'
import type { CompiledTool } from '../runtime/registry/types.ts'
import { readClientInfo, readLogLevel } from './client-info.ts'
import { clip } from '../plugin/clip.ts'
import { HEADER_MISMATCH, INVALID_PARAMS, isObject, RpcError, UNSUPPORTED_VERSION } from './message.ts'
import type { Params, RpcRequest } from './message.ts'
import type { RequestContext } from './request-context.ts'
import type { Revision, Revisions } from './revisions.ts'

const PREFIX = 'io.modelcontextprotocol/'
const META_VERSION = `${PREFIX}protocolVersion`
const META_CAPABILITIES = `${PREFIX}clientCapabilities`
const META_CLIENT_INFO = `${PREFIX}clientInfo`
const META_LOG_LEVEL = `${PREFIX}logLevel`
export const META_SERVER_INFO = `${PREFIX}serverInfo`
export const META_SUBSCRIPTION = `${PREFIX}subscriptionId`

/** Client information in a request of 2026-07-28 or later. */
type RequestMetadata = Pick<RequestContext, 'revision' | 'capabilities' | 'clientName' | 'clientVersion' | 'logLevel'>

/** Returns whether a message has the `_meta` of a modern revision. */
export function isModern(params: Params): boolean {
  const meta = params['_meta']
  return isObject(meta) && META_VERSION in meta
}

/** @param era era of the request if known; the error then lists only the revisions of that era */
export function unsupportedVersion(requested: string, revisions: Revisions, era?: Revision['era']): RpcError {
  return new RpcError(UNSUPPORTED_VERSION, `Unsupported protocol version: ${clip(requested)}`, {
    status: 400,
    data: { supported: revisions.served(era), requested: clip(requested) },
  })
}

const invalid = (message: string): RpcError =>
  new RpcError(INVALID_PARAMS, `Invalid params: ${message}`, { status: 400 })
const mismatch = (message: string): RpcError =>
  new RpcError(HEADER_MISMATCH, `Header mismatch: ${message}`, { status: 400 })

/** Error for a request whose header names a modern revision but whose body lacks the metadata. */
export const missingMetadata = (): RpcError => invalid(`_meta must have ${META_VERSION} and ${META_CAPABILITIES}`)

/** Reads `_meta` and checks that the headers match the body. @throws RpcError with HTTP status 400 */
export function readMetadata(request: RpcRequest, headers: IncomingHttpHeaders, revisions: Revisions): RequestMetadata {
  const meta = request.params['_meta'] as Readonly<Record<string, unknown>>
  const version = meta[META_VERSION]
  if (typeof version !== 'string') throw invalid(`${META_VERSION} must be a string`)
  const versionHeader = readHeader(headers, 'mcp-protocol-version')
  if (versionHeader !== undefined && versionHeader !== version)
    throw mismatch(`MCP-Protocol-Version '${clip(versionHeader)}' does not match the body's '${clip(version)}'`)
  const revision = revisions.find(version)
  if (revision?.era !== 'modern') throw unsupportedVersion(version, revisions, 'modern')
  const capabilities = meta[META_CAPABILITIES]
  if (!isObject(capabilities)) throw invalid(`_meta must have ${META_CAPABILITIES}, an object`)
  if (versionHeader === undefined) throw mismatch('MCP-Protocol-Version is required')
  checkRouting(request, headers)
  const level = meta[META_LOG_LEVEL]
  return {
    revision,
    capabilities,
    ...readClientInfo(meta[META_CLIENT_INFO]),
    logLevel: level === undefined ? null : readLogLevel(level),
  }
}

function checkRouting({ method, params }: RpcRequest, headers: IncomingHttpHeaders): void {
  const methodHeader = readHeader(headers, 'mcp-method')
  if (methodHeader !== method)
    throw mismatch(
      methodHeader === undefined ? 'Mcp-Method is required' : `Mcp-Method does not match the body's '${clip(method)}'`,
    )
  const name = nameOfTarget(method, params)
  if (name === undefined) return
  const nameHeader = readHeader(headers, 'mcp-name')
  if (nameHeader === undefined) throw mismatch('Mcp-Name is required')
  if (decodeHeader(nameHeader) !== name) throw mismatch('Mcp-Name does not match the body')
}

function nameOfTarget(method: string, params: Params): unknown {
  if (method === 'tools/call' || method === 'prompts/get') return params['name']
  return method === 'resources/read' ? params['uri'] : undefined
}

/** Checks that the `Mcp-Param-…` headers match the arguments. @throws RpcError with HTTP status 400 */
export function checkParamHeaders({ paramHeaders }: CompiledTool, params: Params, headers: IncomingHttpHeaders): void {
  for (const [name, path] of paramHeaders) {
    let value = params['arguments']
    for (const step of path) value = isObject(value) ? value[step] : undefined
    const header = readHeader(headers, name)
    const absent = value === undefined || value === null
    if (absent ? header !== undefined : header === undefined || !isSameValue(value, decodeHeader(header)))
      throw mismatch(`${name} does not repeat the argument ${path.join('.')}`)
  }
}

function isSameValue(value: unknown, text: string | undefined): boolean {
  if (text === undefined) return false
  if (typeof value === 'number') return text.trim() !== '' && Number(text) === value
  return String(value) === text
}

function readHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value.trim() : value?.join(', ')
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Decodes `=?base64?…?=`; undefined if the header contains invalid characters. */
function decodeHeader(value: string): string | undefined {
  if (!/^[\t\x20-\x7e]*$/.test(value)) return undefined
  if (!value.startsWith('=?base64?') || !value.endsWith('?=')) return value
  const encoded = value.slice('=?base64?'.length, -'?='.length)
  return BASE64.test(encoded) ? Buffer.from(encoded, 'base64').toString() : undefined
}
