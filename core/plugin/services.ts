import type { Readable } from 'node:stream'
import type { User } from './users.ts'
import type { Static, TObject } from '@sinclair/typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Administration } from './administration.ts'
import type { AuditAction, AuditEntry, AuditFilter, DetachedAuditRecord } from './audit.ts'
import type { ConfigKey } from './config.ts'
import type { Confirmations } from './confirmations.ts'
import type { Actor, Deployment, ReadContext, WriteContext } from './context.ts'
import type { All } from './point.ts'
import type { Authorization } from './sign-in.ts'

/** Identifies the user and the name of a route's work, for logs and the change history. */
export interface RouteCall {
  /** Id of the user; null = the system, without access to user data. */
  readonly userId: string | null
  /**
   * Overrides the actor, which is otherwise the system acting for the user: for example, `human` for a browser session. A credential must
   * still be valid, and its projects limit the call.
   */
  readonly actor?: Partial<Omit<Actor, 'userId'>>
  /** For example `attachments.receive`. */
  readonly name: string
  readonly requestId: string
  /** IP address for the audit trail: `request.ip`. */
  readonly address?: string
  readonly signal?: AbortSignal
}

/** A file that is deleted after it was sent. */
export interface ExportedFile {
  readonly name: string
  /** Bytes; undefined if unknown before sending. */
  readonly size?: number
  readonly type: string
  readonly bytes: Readable
}

/** The audit trail outside of writes, which use `ctx.audit`. */
export interface AuditService {
  /**
   * Adds a record for an event without a write, such as a refusal. It never delays a response: records are stored up to a second later. Of
   * many similar refusals from one place, only the first ones of an hour are stored, plus the count of the others.
   */
  record(record: DetachedAuditRecord): void
  /**
   * Identifies the caller of a request whose credential the host did not check, so that its refusals are attributed to that caller. The
   * host itself records all responses with 401, 403 and 429.
   */
  identify(request: FastifyRequest, actor: Partial<Actor>): void
  /** Lists entries, newest first. @throws ToolError forbidden if a non-administrator asks for entries of others */
  list(ctx: ReadContext, filter: AuditFilter): Promise<readonly AuditEntry[]>
  /** Retention period in days. */
  readonly keepDays: number
  /** All actions of the enabled plugins, by name. */
  readonly actions: ReadonlyMap<string, AuditAction>
}

/** Size of the tool list of a profile. */
export interface ProfileSize {
  readonly name: string
  readonly tools: number
  /** Number of these tools that need only scope `read`. */
  readonly readingTools: number
  /** Characters that the tools add to a model's context: names, descriptions and input schemas as JSON. */
  readonly characters: number
}

/** Why the host of a request is rejected: `ambiguous` = none or several, `foreign` = not a host of the service. */
export type HostFault = 'ambiguous' | 'foreign'

/** Name of the Fastify decorator with the host's services. */
export const HOST_SERVICES = 'hostServices'

/** Services of the host for the body and the routes of a plugin. Contexts can be opened after the boot. */
export interface HostServices extends Deployment {
  now(): Date
  /** Returns the contributions of all plugins to a point. */
  readonly all: All
  /** Returns the plugin that contributed a value to a point, for errors and the log. */
  addedBy(value: unknown): string | undefined
  config<T>(key: ConfigKey<T>): T
  profiles(): readonly ProfileSize[]
  /** Returns the actor of a bearer token; null if the token is unknown, expired or revoked. */
  authenticate(token: string): Promise<Actor | null>
  /** Returns the authenticated actor of a request to a route of `guardApi`. */
  caller(request: FastifyRequest): Actor
  /** Returns why the host of a request is rejected; null if it is accepted. Pages must reject other hosts. */
  hostFault(request: FastifyRequest): HostFault | null
  /**
   * Applies the rules of the MCP endpoint for hosts, origins, CORS and errors to a scope of routes that programs call with a bearer token,
   * and authenticates the caller before a body is read.
   * @param prefix common path prefix of the routes, for example `/api/threads`
   */
  guardApi(scope: FastifyInstance, prefix: string): void
  /**
   * Compiles a validator for the input of a route, with the same errors as tool arguments. A schema that should reject unknown properties
   * needs `additionalProperties: false`.
   * @returns a function that returns the normalized input and throws a ToolError with all problems at once
   */
  inputChecker<S extends TObject>(schema: S): (input: unknown) => Static<S>
  /**
   * Error handler for routes of programs: responds `{"error":{…}}`, in the same form as tool errors. An unavailable database becomes 503
   * with `Retry-After`. An unexpected error is logged and becomes 500 without its message.
   */
  answerRouteError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply
  /** Returns whether an error means that the database is temporarily unavailable, so that a retry may succeed. */
  isUnavailable(error: unknown): boolean
  /** Returns whether it is unknown if the writes of a request were saved. */
  isOutcomeUnknown(error: unknown): boolean
  /** Returns whether a request accepts HTML, as browsers do when they navigate. */
  wantsPage(request: Pick<FastifyRequest, 'headers'>): boolean
  readonly audit: AuditService
  /** Administration of the whole service. */
  readonly administration: Administration
  /** The authorization server, for the plugin that contributes `signIn`. */
  readonly authorization: Authorization
  /** Pending confirmations, for the plugin whose `signIn` has a page for them. */
  readonly confirmations: Confirmations
  /** Exports all data of a user as a file, like `tasuki user export`. Recorded in the audit trail. */
  exportUser(call: RouteCall, user: Pick<User, 'id' | 'email'>): Promise<ExportedFile>
  /** Runs work like a read tool. @throws ToolError forbidden if the user is deleted or disabled */
  read<T>(call: RouteCall, work: (ctx: ReadContext) => Promise<T>): Promise<T>
  /** Runs work like a write tool, in one transaction. @throws ToolError forbidden if the user is deleted or disabled */
  write<T>(call: RouteCall, work: (ctx: WriteContext) => Promise<T>): Promise<T>
}
