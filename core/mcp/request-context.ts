import type { FastifyRequest } from 'fastify'
import type { Principal } from '../runtime/principal.ts'
import type { CallScope } from '../runtime/runner.ts'
import type { ClientChannel, Log, LogLevel } from '../plugin/context.ts'
import type { View } from '../runtime/registry/types.ts'
import type { Cancellation } from './cancellation.ts'
import type { RpcRequest } from './message.ts'
import type { Revision } from './revisions.ts'
import type { Session } from './sessions.ts'
import type { ResponseStream } from './stream.ts'

/** One request on its way to its answer. */
export interface RequestContext {
  readonly request: RpcRequest
  readonly revision: Revision
  readonly principal: Principal
  readonly view: View
  /** Only in the 2025 revisions, and only where the client can be asked for input. */
  readonly session: Session | null
  readonly capabilities: Readonly<Record<string, unknown>>
  readonly clientName: string | null
  readonly clientVersion: string | null
  /** Least level of log lines that the client wants; null = none. */
  readonly logLevel: LogLevel | null
  /** Null in a batch, whose answers come together. */
  readonly stream: ResponseStream | null
  readonly cancellation: Cancellation
  /** The request that it came in, alone or in a batch. */
  readonly http: FastifyRequest
  readonly requestId: string
  /** The `Idempotency-Key` header. */
  readonly idempotencyKey: string | undefined
  readonly log: Log
}

/** A result on its way to the wire. */
export interface Result {
  /** Members of the result object as JSON text without braces, before what the revision adds to every result. */
  readonly members: string
  /** Milliseconds for which a client may keep it; undefined for results that are not cached. */
  readonly ttlMs?: number
  /** Who answers, where that is more than every result of 2026-07-28 tells. */
  readonly serverInfo?: object
  /** What the members are made of, where that never changes: their bytes are made once and kept with it. */
  readonly frozen?: object
  /** A tool answered with an error result of its own. */
  readonly failed?: boolean
  /** HTTP headers to send along, such as a fresh session id. */
  readonly headers?: Readonly<Record<string, string>>
}

/** What a credential is known by wherever something is bound to it. */
export function credentialOf({ actor }: Principal): string {
  return actor.credentialId ?? actor.userId
}

/** A class, so that the signal is made only for those who look at it. */
class RequestScope implements CallScope {
  readonly name: string
  readonly client: ClientChannel
  readonly ifUpdatedAt: string | null
  readonly principal: Principal
  readonly requestId: string
  readonly clientName: string | null
  readonly clientVersion: string | null
  readonly log: Log
  readonly #cancellation: Cancellation
  readonly #http: FastifyRequest
  constructor(context: RequestContext, name: string, client: ClientChannel, ifUpdatedAt: string | null) {
    this.name = name
    this.client = client
    this.ifUpdatedAt = ifUpdatedAt
    this.principal = context.principal
    this.requestId = context.requestId
    this.clientName = context.clientName
    this.clientVersion = context.clientVersion
    this.log = context.log
    this.#cancellation = context.cancellation
    this.#http = context.http
  }
  get address(): string {
    return this.#http.ip
  }
  get signal(): AbortSignal {
    return this.#cancellation.signal
  }
}

export function callScope(
  context: RequestContext,
  name: string,
  client: ClientChannel,
  ifUpdatedAt: string | null = null,
): CallScope {
  return new RequestScope(context, name, client, ifUpdatedAt)
}
