import type { FastifyRequest } from 'fastify'
import type { RateLimits } from '../http/rate-limits.ts'
import type { ChangeFeed } from '../runtime/change-feed.ts'
import type { Authenticate, Principal } from '../runtime/principal.ts'
import type { Runner } from '../runtime/runner.ts'
import type { ErrorCode } from '../plugin/errors.ts'
import type { FinishedCall } from '../plugin/host-points.ts'
import type { ObservedCall } from './observed-call.ts'
import type { Registry } from '../runtime/registry/types.ts'

export interface ServerInfo {
  readonly name: string
  readonly title: string
  readonly version: string
}

/** What people are shown of the server. */
export interface Presentation {
  /** At most 100 characters. */
  readonly description: string
  readonly icons: readonly { readonly src: string; readonly mimeType: string; readonly sizes: readonly string[] }[]
  /** Public origin without a trailing slash. */
  readonly baseUrl: () => string
  /** Whether there are pages for people at that origin. */
  readonly hasPages: boolean
}

/** A request that its credential does not allow. */
export interface Refusal {
  readonly http: FastifyRequest
  readonly principal: Principal
  readonly clientName: string | null
  readonly clientVersion: string | null
  readonly code: ErrorCode
  readonly tool: string | null
}

export interface McpOptions {
  readonly registry: Registry
  readonly runner: Runner
  readonly authenticate: Authenticate
  readonly server: ServerInfo
  /** For revisions that know it, and the server card; left out where there is none. */
  readonly presentation?: Presentation
  /** Where, for who sent this request, the metadata is that leads to the authorization server, for challenges; null where there is none, and tokens are the only way in. */
  readonly metadataUrl: (request: FastifyRequest) => string | null
  /** Host names (without port) that the `Host` header may carry; any other is answered 403, as a foreign `Origin` is. */
  readonly allowedHosts: readonly string[]
  /** Host names that an `Origin` header, if there is one, may carry; any other is answered 403. */
  readonly allowedOrigins: readonly string[]
  /** How destructive tools are confirmed: by asking the user (by token where the client cannot), always by token, or not at all. */
  readonly confirm: 'ask' | 'token' | 'off'
  /** Address of the page on which the user decides on a confirmation, by its id; left out where there is no such page. */
  readonly confirmationUrl?: ((id: string) => string) | undefined
  /** Most bytes of a tool's result; default 200,000. */
  readonly resultSizeLimit?: number
  /** How often a credential may call, and an address may try tokens; left out where nothing is limited. */
  readonly rateLimits?: RateLimits | undefined
  /** Most bytes of a request. */
  readonly bodyLimit: number
  /** Calls of one credential that may be at the database at a time; default any number. */
  readonly concurrentCalls?: number
  /** 32 bytes that sign `requestState`; the same on all instances. */
  readonly signingKey: Buffer
  /** Tells clients that lists may change; only for hosts whose plugins publish changes through `mcpPublisher`. */
  readonly listChanged?: boolean
  /**
   * Gives clients of the 2025 revisions that can be asked for input a session, kept in this process; default true.
   * With several instances it needs sticky routing; without sessions such clients confirm by token.
   */
  readonly sessions?: boolean
  /** Hears of every tool call once it has its answer; left out where nobody listens. */
  readonly callFinished?: ((call: FinishedCall) => void) | undefined
  /** Hears of every tool call, refused ones too, for the log and the metrics; every call waits for it. */
  readonly callEnded?: (call: ObservedCall) => void
  /** Hears of requests that their credential does not allow. */
  readonly callRefused?: (refusal: Refusal) => void
  /** The plugin of this project that has a tool of that name and is off; null when none has. */
  readonly offPluginOf?: (tool: string) => Promise<string | null>
  /** The feed of changes of records, for clients that subscribe; left out where none are sent. */
  readonly changes?: Pick<ChangeFeed, 'listen'>
  readonly now: () => Date
}

export const DEFAULT_RESULT_CEILING = 200_000
