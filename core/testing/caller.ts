import type { FastifyInstance } from 'fastify'
import type { ErrorBody, ErrorCode } from '../plugin/errors.ts'

/** A failed tool call, with the fields of its error. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure'
  readonly code: ErrorCode
  readonly field: string | undefined
  readonly hint: string | undefined
  readonly allowed: readonly string[] | undefined
  readonly retryable: boolean
  readonly details: Readonly<Record<string, unknown>>
  constructor(body: ErrorBody, cause?: Error) {
    super(body.message, cause && { cause })
    this.code = body.code
    this.field = body.field
    this.hint = body.hint
    this.allowed = body.allowed
    this.retryable = body.retryable
    this.details = body.details ?? {}
  }
}

// oxlint-disable-next-line typescript/no-explicit-any -- tests read results of any tool
export type ToolResult = any

export interface CallOptions {
  /** `_meta` of the call. */
  readonly meta?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  /** Query string of the endpoint URL, for example `profile=task-assistant`. */
  readonly query?: string
}

/** A client with a token. */
export interface TestCaller {
  readonly userId: string
  readonly token: string
  /** Calls a tool over HTTP and returns its data. @throws ToolFailure */
  call(name: string, args?: object, options?: CallOptions): Promise<ToolResult>
  /** Like `call`, for tools that need a confirmation: repeats the call with the confirm token. */
  confirmed(name: string, args?: object, options?: CallOptions): Promise<ToolResult>
  /** Lists the tools of the endpoint. */
  listTools(query?: string): Promise<{ name: string; [field: string]: unknown }[]>
  /** Sends any JSON-RPC request. */
  rpc(method: string, params?: object, options?: CallOptions): Promise<{ status: number; body: ToolResult }>
}

const failureOf = (body: ErrorBody, logged?: LoggedErrors): ToolFailure =>
  new ToolFailure(body, logged?.get(body.details?.['request_id']))

const REVISION = '2025-11-25'

/** Errors that the host logged, by request. */
export type LoggedErrors = ReadonlyMap<unknown, Error>

/** @param logged names the cause of an internal error, which clients do not see */
export function makeCaller(app: FastifyInstance, userId: string, token: string, logged?: LoggedErrors): TestCaller {
  let id = 0
  const rpc: TestCaller['rpc'] = async (method, params = {}, { headers = {}, query } = {}) => {
    const response = await app.inject({
      method: 'POST',
      url: query === undefined ? '/mcp' : `/mcp?${query}`,
      headers: {
        host: 'localhost',
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': REVISION,
        ...headers,
      },
      payload: JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }),
    })
    return { status: response.statusCode, body: response.body === '' ? null : JSON.parse(response.body) }
  }
  const call: TestCaller['call'] = async (name, args = {}, options = {}) => {
    const params = { name, arguments: args, ...(options.meta && { _meta: options.meta }) }
    const { body } = await rpc('tools/call', params, options)
    if (body?.error) throw new Error(`${body.error.code}: ${body.error.message}`)
    const result = body.result
    const data = result.isError ? JSON.parse(result.content[0].text) : (result.structuredContent ?? result)
    if (result.isError && data.error) throw failureOf(data.error as ErrorBody, logged)
    return data
  }
  return {
    userId,
    token,
    rpc,
    call,
    async confirmed(name, args = {}, options = {}) {
      const answer = await call(name, args, options).catch((error: unknown) => error)
      if (!(answer instanceof Error)) return answer
      if (!(answer instanceof ToolFailure) || answer.code !== 'confirmation_required') throw answer
      return call(name, { ...args, confirm_token: answer.details['confirm_token'] }, options)
    },
    async listTools(query) {
      const { body } = await rpc('tools/list', {}, query === undefined ? {} : { query })
      return body.result.tools as { name: string }[]
    },
  }
}
