export type RequestId = string | number
export type Params = Readonly<Record<string, unknown>>

export interface RpcRequest {
  readonly kind: 'request'
  readonly id: RequestId
  readonly method: string
  readonly params: Params
}
export interface RpcNotification {
  readonly kind: 'notification'
  readonly method: string
  readonly params: Params
}
/** A client's response to a request of the server. */
export interface RpcResponse {
  readonly kind: 'response'
  readonly id: RequestId
  readonly result: unknown
  readonly error: unknown
}
export type Message = RpcRequest | RpcNotification | RpcResponse

export const PARSE_ERROR = -32700
export const INVALID_REQUEST = -32600
export const METHOD_NOT_FOUND = -32601
export const INVALID_PARAMS = -32602
export const INTERNAL_ERROR = -32603
/** For revisions up to 2025-11-25; later ones use INVALID_PARAMS. */
export const LEGACY_RESOURCE_NOT_FOUND = -32002
export const HEADER_MISMATCH = -32020
export const MISSING_CAPABILITY = -32021
export const UNSUPPORTED_VERSION = -32022

/** A protocol error. Tools throw `ToolError` instead. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly data: unknown
  /** HTTP status, used if the error is the only response. */
  readonly status: number
  readonly headers: Readonly<Record<string, string>> | null
  constructor(
    code: number,
    message: string,
    {
      data,
      status = 200,
      headers = null,
    }: { data?: unknown; status?: number; headers?: Readonly<Record<string, string>> | null } = {},
  ) {
    super(message)
    this.code = code
    this.data = data
    this.status = status
    this.headers = headers
  }
}

/**
 * Creates an error about HTTP rather than the message, such as 403 for a foreign host.
 * Its JSON-RPC code is the HTTP status: revision 2026-07-28 requires custom codes outside -32768 to -32000.
 */
export function httpError(status: number, message: string, headers: Readonly<Record<string, string>> | null = null) {
  return new RpcError(status, message, { status, headers })
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

/** Returns a member of the `_meta` of a message; undefined if there is none. @throws RpcError if `_meta` is no object */
export function readMeta({ _meta: meta }: Params, member: string): unknown {
  if (meta === undefined || meta === null) return undefined
  if (!isObject(meta)) throw new RpcError(INVALID_PARAMS, 'Invalid params: _meta must be an object')
  return meta[member]
}

const NO_PARAMS: Params = Object.freeze({})
const isId = (value: unknown): value is RequestId => typeof value === 'string' || Number.isSafeInteger(value)

/** Parses a JSON value as a JSON-RPC 2.0 message; null if it is invalid. */
export function readMessage(value: unknown): Message | null {
  if (!isObject(value) || value['jsonrpc'] !== '2.0') return null
  const { id, method, params = NO_PARAMS } = value
  if (typeof method === 'string') {
    if (!isObject(params)) return null
    if (!('id' in value)) return { kind: 'notification', method, params }
    return isId(id) ? { kind: 'request', id, method, params } : null
  }
  if (method !== undefined || !isId(id) || !('result' in value || 'error' in value)) return null
  return { kind: 'response', id, result: value['result'], error: value['error'] }
}

/** Returns the id of a message that may be invalid otherwise; null if there is no valid id. */
export function readableId(value: unknown): RequestId | null {
  return isObject(value) && isId(value['id']) ? value['id'] : null
}

/** Returns the members of an object as JSON text without braces, so that text can be appended. */
export function stringifyMembers(value: object): string {
  return JSON.stringify(value).slice(1, -1)
}

/** @param result JSON text of the result object */
export function resultResponse(id: RequestId, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`
}

const RESPONSE_END = Buffer.from('}')

/** Builds the same response as `resultResponse`, from a result that is already encoded. */
export function frozenResponse(id: RequestId, result: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`), result, RESPONSE_END])
}

export function errorResponse(id: RequestId | null, error: RpcError): string {
  const { code, message, data } = error
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } })
}
