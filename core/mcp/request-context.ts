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

/** Context of one request. */
export interface RequestContext {
  readonly request: RpcRequest
  readonly revision: Revision
  readonly principal: Principal
  readonly view: View
  /** Only in the 2025 revisions, and only if the client can be asked for input. */
  readonly session: Session | null
  readonly capabilities: Readonly<Record<string, unknown>>
  readonly clientName: string | null
  readonly clientVersion: string | null
  /** Minimum level of log messages for the client; null = none. */
  readonly logLevel: LogLevel | null
  /** Null in a batch, whose answers are sent together. */
  readonly stream: ResponseStream | null
  readonly cancellation: Cancellation
  /** The HTTP request, which may carry a batch. */
  readonly http: FastifyRequest
  readonly requestId: string
  /** The `Idempotency-Key` header. */
  readonly idempotencyKey: string | undefined
  readonly log: Log
}

/** Result of a method before serialization. */
export interface Result {
  /** Members of the result object as JSON text without braces; the members that the revision adds follow. */
  readonly members: string
  /** Milliseconds for which a client may cache the result; undefined = not cached. */
  readonly ttlMs?: number
  /** Server info, if it differs from the one in every result of 2026-07-28. */
  readonly serverInfo?: object
  /** Cache key of the encoded members, if they never change. */
  readonly frozen?: object
  /** A tool returned an error result. */
  readonly failed?: boolean
  /** Additional HTTP headers, such as a new session id. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Returns the id that identifies the credential of a request. */
export function credentialOf({ actor }: Principal): string {
  return actor.credentialId ?? actor.userId
}

export function createCallScope(
  { principal, requestId, clientName, clientVersion, log, cancellation, http }: RequestContext,
  name: string,
  client: ClientChannel,
  { ifUpdatedAt, nulls = [] }: Pick<CallScope, 'ifUpdatedAt' | 'nulls'> = { ifUpdatedAt: null },
): CallScope {
  const call = { name, client, ifUpdatedAt, nulls }
  return { ...call, principal, requestId, clientName, clientVersion, log, cancellation, peer: http }
}
