import { statementCounter } from '../db/statements.ts'
import { ToolError, type ErrorCode } from '../plugin/errors.ts'
import type { View } from '../runtime/registry/types.ts'
import { callTool, reportFinished } from './tool-call.ts'
import type { EndpointContext } from './endpoint-context.ts'
import type { RequestContext, Result } from './request-context.ts'
import { complete } from './completion.ts'
import { toPublicError } from '../runtime/public-error.ts'
import { MAY_BE_HIDDEN, showHiddenCharacters } from './hidden-characters.ts'
import { visibleErrorBody } from './hidden-tools.ts'
import { discover, initialize, setLogLevel } from './handshake.ts'
import { InputRequired } from './client-channel.ts'
import { observeCall, traceCall, type ObservedCall } from './observed-call.ts'
import { clip } from '../plugin/clip.ts'
import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  stringifyMembers,
  METHOD_NOT_FOUND,
  frozenResponse,
  resultResponse,
  RpcError,
} from './message.ts'
import type { RequestId } from './message.ts'
import { META_SERVER_INFO } from './metadata.ts'
import { errorOutcome, outcomeMembers } from './tool-result.ts'
import { toErrorReply, toRpcError, type Reply } from './reply.ts'
import { RequestRefusal } from '../http/request-refusal.ts'
import { getPrompt, listPrompts } from './prompts.ts'
import { listResources, listTemplates, readResource } from './resources.ts'
import type { Revision } from './revisions.ts'
import { MINUTE_MS } from '../plugin/durations.ts'

/** Lists are frozen at boot, so only a new version of the service changes them. */
const LIST_TTL_MS = 5 * MINUTE_MS

type Method = (context: RequestContext) => Result | Promise<Result>
export type Dispatch = (context: RequestContext) => Promise<Reply>

/** Creates the dispatcher for requests of all revisions. This is the only place that converts errors to responses. */
export function createDispatch(endpoint: EndpointContext): Dispatch {
  const methods = { legacy: legacyMethods(endpoint), modern: modernMethods(endpoint) }
  const serialize = createSerializer(endpoint)
  const encodeFrozen = createFrozenEncoder(serialize)

  const toReply = (context: RequestContext, error: unknown, call: ObservedCall | undefined): Reply => {
    const { request, revision, requestId, log } = context
    const ok = (result: Result): Reply => reply(request.id, serialize(revision, result))
    if (error instanceof InputRequired) {
      if (call) call.outcome = 'asked'
      const { requests, requestState } = error
      const inputRequired = {
        ...(Object.keys(requests).length > 0 && { inputRequests: requests }),
        ...(requestState !== null && { requestState }),
      }
      return reply(request.id, serialize(revision, { members: stringifyMembers(inputRequired) }, 'input_required'))
    }
    reportRefusal(endpoint, context, error)
    if (error instanceof RpcError || error instanceof RequestRefusal) {
      if (call) call.outcome = 'refused'
      return toErrorReply(request.id, error instanceof RpcError ? error : toRpcError(error))
    }
    const publicError = toPublicError(error, call?.tool ?? request.method, requestId, log)
    if (call) {
      call.outcome = publicError.code
      reportFinished(endpoint, context, { result: null, ok: false, error: publicError.code })
      return ok({ members: outcomeMembers(errorOutcome(publicError, endpoint.resultSizeLimit), context) })
    }
    return toErrorReply(request.id, protocolError(publicError, context.view.hides))
  }

  const answer = async (context: RequestContext, call?: ObservedCall): Promise<Reply> => {
    const { request, revision } = context
    try {
      const method = methods[revision.era].get(request.method)
      if (!method) {
        const status = revision.era === 'modern' ? 404 : 200
        throw new RpcError(METHOD_NOT_FOUND, `Method not found: ${clip(request.method)}`, { status })
      }
      const result = await method(context)
      if (call && result.failed) call.outcome = 'failed'
      return result.frozen
        ? {
            body: frozenResponse(request.id, encodeFrozen(revision, result, result.frozen)),
            status: 200,
            headers: null,
          }
        : reply(request.id, serialize(revision, result), result.headers)
    } catch (error) {
      return toReply(context, error, call)
    }
  }
  return async context => {
    if (context.request.method !== 'tools/call') return answer(context)
    const call = observeCall(context)
    try {
      return await statementCounter.run(call, () => traceCall(call, () => answer(context, call)))
    } finally {
      call.ms = performance.now() - call.ms
      endpoint.options.callEnded?.(call)
    }
  }
}

function reply(id: RequestId, result: string, headers: Reply['headers'] = null): Reply {
  // Tested as a whole, which is written in any case: V8 copies a concatenated text before it can be searched.
  const body = resultResponse(id, result)
  const shown = MAY_BE_HIDDEN.test(body) ? resultResponse(id, showHiddenCharacters(result)) : body
  return { body: shown, status: 200, headers }
}

/** Reports a refusal caused by the credential. Refusals caused by arguments or data are not reported. */
function reportRefusal({ options }: EndpointContext, context: RequestContext, error: unknown): void {
  const code =
    error instanceof ToolError ? error.code : error instanceof RpcError && error.status === 403 ? SCOPE : null
  if (code !== 'forbidden' && code !== SCOPE) return
  const { method, params } = context.request
  const tool = method === 'tools/call' && typeof params['name'] === 'string' ? params['name'] : null
  options.callRefused?.({ ...context, code, tool })
}
const SCOPE: ErrorCode = 'insufficient_scope'

/** Only tools/call has error results; the errors of other methods are protocol errors. */
function protocolError(error: ToolError, hides: View['hides']): RpcError {
  const isInternal = error.code === 'internal' || error.code === 'unavailable'
  return new RpcError(isInternal ? INTERNAL_ERROR : INVALID_PARAMS, isInternal ? 'Internal error' : error.message, {
    data: visibleErrorBody(error, hides),
  })
}

/** Caches the encoded lists: a list of a hundred tools is 100 KB, and encoding it takes longer than the rest of the request. */
function createFrozenEncoder(seal: ReturnType<typeof createSerializer>) {
  const encoded = { legacy: new WeakMap<object, Buffer>(), modern: new WeakMap<object, Buffer>() }
  return (revision: Revision, result: Result, frozen: object): Buffer => {
    let bytes = encoded[revision.era].get(frozen)
    if (!bytes) encoded[revision.era].set(frozen, (bytes = Buffer.from(seal(revision, result))))
    return bytes
  }
}

/** Adds the members that a revision requires in every result, by joining JSON text. */
function createSerializer({ options }: EndpointContext) {
  const tail = (type: string, server: object): string =>
    `"resultType":"${type}","_meta":${JSON.stringify({ [META_SERVER_INFO]: server })}}`
  const tails = { complete: tail('complete', options.server), input_required: tail('input_required', options.server) }
  return (
    revision: Revision,
    { members, ttlMs, serverInfo }: Result,
    type: keyof typeof tails = 'complete',
  ): string => {
    if (revision.era === 'legacy') return `{${members}}`
    const open = members === '' ? '{' : `{${members},`
    const end = serverInfo ? tail(type, serverInfo) : tails[type]
    return ttlMs === undefined ? open + end : `${open}"ttlMs":${ttlMs},"cacheScope":"private",${end}`
  }
}

function legacyMethods(endpoint: EndpointContext): ReadonlyMap<string, Method> {
  const { options } = endpoint
  const empty: Result = { members: '' }
  const subscribable = options.listChanged === true && options.registry.resources.length > 0
  return new Map<string, Method>([
    ['initialize', context => initialize(endpoint, context)],
    ['ping', () => empty],
    ['logging/setLevel', context => setLogLevel(endpoint, context)],
    // These revisions have no server stream for updates here, so the client polls.
    ...(subscribable
      ? (['resources/subscribe', 'resources/unsubscribe'] as const).map(name => [name, () => empty] as const)
      : []),
    ...sharedMethods(endpoint),
  ])
}

function modernMethods(endpoint: EndpointContext): ReadonlyMap<string, Method> {
  // Discovery is computed per request, because a sunset date changes it.
  return new Map<string, Method>([
    ['server/discover', context => ({ ...discover(endpoint, context), ttlMs: LIST_TTL_MS })],
    ...sharedMethods(endpoint),
  ])
}

function sharedMethods(endpoint: EndpointContext): [string, Method][] {
  const { registry } = endpoint.options
  const methods: [string, Method][] = [
    ['tools/list', context => ({ ...listResult(context, `"tools":${context.view.toolsJson}`), frozen: context.view })],
    ['tools/call', context => callTool(endpoint, context)],
  ]
  if (registry.prompts.size > 0)
    methods.push(
      ['prompts/list', context => listResult(context, listPrompts(context))],
      ['prompts/get', context => getPrompt(endpoint, context)],
    )
  if (registry.prompts.size > 0 || registry.resources.length > 0)
    methods.push(['completion/complete', context => complete(endpoint, context)])
  if (registry.resources.length > 0)
    methods.push(
      [
        'resources/list',
        context => {
          refuseCursor(context)
          return listResources(endpoint, context, LIST_TTL_MS)
        },
      ],
      ['resources/templates/list', context => listResult(context, listTemplates(context))],
      ['resources/read', context => readResource(endpoint, context)],
    )
  return methods
}

function listResult(context: RequestContext, members: string): Result {
  refuseCursor(context)
  return { members, ttlMs: LIST_TTL_MS }
}

/** Lists are not paginated, so no cursor is valid. */
function refuseCursor({ request }: RequestContext): void {
  if (request.params['cursor'] !== undefined)
    throw new RpcError(INVALID_PARAMS, 'Invalid params: unknown cursor; lists come on one page')
}
