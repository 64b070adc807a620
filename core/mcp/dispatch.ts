import type { ToolError } from '../plugin/errors.ts'
import type { View } from '../runtime/registry/types.ts'
import { callTool, tellFinished } from './call.ts'
import type { Exchange, Result, Service } from './exchange.ts'
import { complete } from './completion.ts'
import { toPublicError } from '../runtime/public-error.ts'
import { shownError } from './hidden-tools.ts'
import { discovery, initialize, setLogLevel } from './handshake.ts'
import { InputRequired } from './client-channel.ts'
import { clip } from '../plugin/clip.ts'
import {
  errorResponse,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  membersOf,
  METHOD_NOT_FOUND,
  frozenResponse,
  resultResponse,
  RpcError,
  type RequestId,
} from './message.ts'
import { META_SERVER_INFO } from './metadata.ts'
import { errorOutcome, outcomeMembers } from './outcome.ts'
import { getPrompt, listPrompts } from './prompts.ts'
import { listResources, listTemplates, readResource } from './resources.ts'
import type { Revision } from './revisions.ts'

/** Lists are frozen at boot, so that only a new version of the service changes them. */
const LIST_TTL_MS = 5 * 60_000

/** The answer to one request: a JSON-RPC response as text, or its UTF-8. */
export interface Reply {
  readonly body: string | Buffer
  readonly status: number
  readonly headers: Readonly<Record<string, string>> | null
}

type Method = (exchange: Exchange) => Result | Promise<Result>
export type Dispatch = (exchange: Exchange) => Promise<Reply>

/** Answers requests of all revisions; whatever goes wrong gets its shape here and nowhere else. */
export function createDispatch(service: Service): Dispatch {
  const methods = { legacy: legacyMethods(service), modern: modernMethods(service) }
  const seal = sealer(service)
  const keptBytes = bytesKeeper(seal)

  const shaped = (exchange: Exchange, error: unknown): Reply => {
    const { request, revision, requestId, log } = exchange
    const ok = (result: Result): Reply => reply(request.id, seal(revision, result))
    if (error instanceof InputRequired) {
      const { requests, requestState } = error
      const asked = {
        ...(Object.keys(requests).length > 0 && { inputRequests: requests }),
        ...(requestState !== null && { requestState }),
      }
      return reply(request.id, seal(revision, { members: membersOf(asked) }, 'input_required'))
    }
    if (error instanceof RpcError) return refusal(request.id, error)
    const told = toPublicError(error, request.method, requestId, log)
    if (request.method === 'tools/call') {
      tellFinished(service, exchange, { result: null, ok: false, error: told.code })
      return ok({ members: outcomeMembers(errorOutcome(told), exchange) })
    }
    return refusal(request.id, protocolError(told, exchange.view.hides))
  }

  return async exchange => {
    const { request, revision } = exchange
    try {
      const method = methods[revision.era].get(request.method)
      if (!method) {
        const status = revision.era === 'modern' ? 404 : 200
        throw new RpcError(METHOD_NOT_FOUND, `Method not found: ${clip(request.method)}`, { status })
      }
      const result = await method(exchange)
      return result.frozen
        ? { body: frozenResponse(request.id, keptBytes(revision, result, result.frozen)), status: 200, headers: null }
        : reply(request.id, seal(revision, result), result.headers)
    } catch (error) {
      return shaped(exchange, error)
    }
  }
}

function reply(id: RequestId, result: string, headers: Reply['headers'] = null): Reply {
  return { body: resultResponse(id, result), status: 200, headers }
}

/** The response that a refusal by the protocol becomes. */
export function refusal(id: RequestId | null, error: RpcError): Reply {
  return { body: errorResponse(id, error), status: error.status, headers: error.headers }
}

/** Methods other than tools/call have no error results: their errors are the protocol's. */
function protocolError(error: ToolError, hides: View['hides']): RpcError {
  const own = error.code === 'internal' || error.code === 'unavailable'
  return new RpcError(own ? INTERNAL_ERROR : INVALID_PARAMS, own ? 'Internal error' : error.message, {
    data: shownError(error, hides),
  })
}

/** A list of a hundred tools is 100 KB: encoding it for every client would cost more than all the rest of the request. */
function bytesKeeper(seal: ReturnType<typeof sealer>) {
  const kept = { legacy: new WeakMap<object, Buffer>(), modern: new WeakMap<object, Buffer>() }
  return (revision: Revision, result: Result, frozen: object): Buffer => {
    let bytes = kept[revision.era].get(frozen)
    if (!bytes) kept[revision.era].set(frozen, (bytes = Buffer.from(seal(revision, result))))
    return bytes
  }
}

/** Adds what the revision wants in every result, by splicing text. */
function sealer({ options }: Service) {
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

function legacyMethods(service: Service): ReadonlyMap<string, Method> {
  const { options } = service
  const empty: Result = { members: '' }
  const subscribable = options.listChanged === true && options.registry.resources.length > 0
  return new Map<string, Method>([
    ['initialize', exchange => initialize(service, exchange)],
    ['ping', () => empty],
    ['logging/setLevel', exchange => setLogLevel(service, exchange)],
    // These revisions have no stream here on which an update could be told; the client polls.
    ...(subscribable
      ? (['resources/subscribe', 'resources/unsubscribe'] as const).map(name => [name, () => empty] as const)
      : []),
    ...sharedMethods(service),
  ])
}

function modernMethods(service: Service): ReadonlyMap<string, Method> {
  // Asked anew each time, because a sunset changes it.
  return new Map<string, Method>([
    ['server/discover', exchange => ({ ...discovery(service, exchange), ttlMs: LIST_TTL_MS })],
    ...sharedMethods(service),
  ])
}

function sharedMethods(service: Service): [string, Method][] {
  const { registry } = service.options
  const methods: [string, Method][] = [
    [
      'tools/list',
      exchange => ({ ...wholeList(exchange, `"tools":${exchange.view.toolsJson}`), frozen: exchange.view }),
    ],
    ['tools/call', exchange => callTool(service, exchange)],
  ]
  if (registry.prompts.size > 0) {
    methods.push(
      ['prompts/list', exchange => wholeList(exchange, listPrompts(exchange))],
      ['prompts/get', exchange => getPrompt(service, exchange)],
    )
  }
  if (registry.prompts.size > 0 || registry.resources.length > 0)
    methods.push(['completion/complete', exchange => complete(service, exchange)])
  if (registry.resources.length > 0) {
    methods.push(
      [
        'resources/list',
        exchange => {
          refuseCursor(exchange)
          return listResources(service, exchange, LIST_TTL_MS)
        },
      ],
      ['resources/templates/list', exchange => wholeList(exchange, listTemplates(exchange))],
      ['resources/read', exchange => readResource(service, exchange)],
    )
  }
  return methods
}

function wholeList(exchange: Exchange, members: string): Result {
  refuseCursor(exchange)
  return { members, ttlMs: LIST_TTL_MS }
}

/** Lists come whole, so that no cursor was ever given out. */
function refuseCursor({ request }: Exchange): void {
  if (request.params['cursor'] !== undefined)
    throw new RpcError(INVALID_PARAMS, 'Invalid params: unknown cursor; lists come on one page')
}
