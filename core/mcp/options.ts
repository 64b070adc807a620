import type { FastifyRequest } from 'fastify'
import type { RateLimits } from '../http/rate-limits.ts'
import type { ChangeFeed } from '../runtime/change-feed.ts'
import type { Authenticate } from '../runtime/principal.ts'
import type { Runner } from '../runtime/runner.ts'
import type { ErrorCode } from '../plugin/errors.ts'
import type { FinishedCall } from '../plugin/host-points.ts'
import type { ObservedCall } from './observed-call.ts'
import type { RequestContext } from './request-context.ts'
import type { Registry } from '../runtime/registry/types.ts'

export interface ServerInfo {
  readonly name: string
  readonly title: string
  readonly version: string
}

/** Presentation of the server for people. */
export interface Presentation {
  /** At most 100 characters. */
  readonly description: string
  readonly icons: readonly { readonly src: string; readonly mimeType: string; readonly sizes: readonly string[] }[]
  /** Public origin without a trailing slash. */
  readonly baseUrl: () => string
  /** Whether the origin serves pages for people. */
  readonly hasPages: boolean
}

/** A request that its credential does not permit. */
export interface Refusal extends Pick<RequestContext, 'http' | 'principal' | 'clientName' | 'clientVersion'> {
  readonly code: ErrorCode
  readonly tool: string | null
}

export interface McpOptions {
  readonly registry: Registry
  readonly runner: Runner
  readonly authenticate: Authenticate
  readonly server: ServerInfo
  /** For revisions that support it, and for the server card; undefined = neither. */
  readonly presentation?: Presentation
  /**
   * URL of the protected resource metadata for challenges, as seen by the sender of this request; null if there is no authorization server,
   * so that only tokens give access.
   */
  readonly metadataUrl: (request: FastifyRequest) => string | null
  /** Host names (without port) that the `Host` header may contain; others get 403. */
  readonly allowedHosts: readonly string[]
  /** Host names that an `Origin` header may contain; others get 403. */
  readonly allowedOrigins: readonly string[]
  /** How destructive tools are confirmed: `ask` = by the user, or by token if nobody can be asked; `token` = by token; `off` = never. */
  readonly confirm: 'ask' | 'token' | 'off'
  /** URL of the page for a confirmation id; undefined if there is no such page. */
  readonly confirmationUrl?: ((id: string) => string) | undefined
  /** Maximum size of a tool result in bytes; default 200,000. */
  readonly resultSizeLimit?: number
  /** Rate limits per credential, and per address for invalid tokens; undefined = unlimited. */
  readonly rateLimits?: RateLimits | undefined
  /** Maximum size of a request in bytes. */
  readonly bodyLimit: number
  /** Maximum of concurrent database calls per credential; default unlimited. */
  readonly concurrentCalls?: number
  /** 32-byte key that signs `requestState`; must be the same on all instances. */
  readonly signingKey: Buffer
  /** Announces change notifications for lists; only for hosts whose plugins publish changes through `mcpPublisher`. */
  readonly listChanged?: boolean
  /**
   * Opens a session in this process for clients of the 2025 revisions that can be asked for input; default true.
   * Several instances need sticky routing for sessions. Without sessions such clients confirm by token.
   */
  readonly sessions?: boolean
  /** Called after every call of a known tool, for observers; undefined without observers. */
  readonly callFinished?: ((call: FinishedCall) => void) | undefined
  /** Called after every tool call, including refused ones, for the log and the metrics. Synchronous, so every call waits for it. */
  readonly callEnded?: (call: ObservedCall) => void
  /** Called for requests that their credential does not permit. */
  readonly callRefused?: (refusal: Refusal) => void
  /** Returns the disabled plugin that has a tool of this name; null if there is none. */
  readonly offPluginOf?: (tool: string) => Promise<string | null>
  /** Feed of record changes for subscriptions; undefined = no updates are sent. */
  readonly changes?: Pick<ChangeFeed, 'listen'>
  readonly now: () => Date
}

export const DEFAULT_RESULT_CEILING = 200_000
