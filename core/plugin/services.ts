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

/** For whom a route works, and how the work is called in logs and in the history. */
export interface RouteCall {
  /** Id of the user; null = the system, which may see nothing of users. */
  readonly userId: string | null
  /** How the actor differs from the system acting for the user: a session of a person is `human`. */
  readonly actor?: Partial<Omit<Actor, 'userId'>>
  /** For example `attachments.receive`. */
  readonly name: string
  readonly requestId: string
  /** Whence it came, for the audit trail: `request.ip`. */
  readonly address?: string
  readonly signal?: AbortSignal
}

/** A file that goes once it was sent. */
export interface ExportedFile {
  readonly name: string
  /** Bytes; left out where they are not known before they are sent. */
  readonly size?: number
  readonly type: string
  readonly bytes: Readable
}

/** The audit trail outside of writes, which have `ctx.audit`. */
export interface AuditService {
  /**
   * Adds a record, for what no write is open for, such as a refusal. It never delays an answer: records are stored a second later, and of
   * many refusals alike from one place only the first ones of an hour, and the number of the others.
   */
  record(record: DetachedAuditRecord): void
  /**
   * Says who a request is from, where the caller's credential was not checked by the host: refusals of it are then told as theirs.
   * The host itself records every answer 401 and 403.
   */
  identify(request: FastifyRequest, actor: Partial<Actor>): void
  /** Entries, newest first. @throws ToolError forbidden where the caller asks for more than their own and is no administrator */
  list(ctx: ReadContext, filter: AuditFilter): Promise<readonly AuditEntry[]>
  /** Days for which entries are kept. */
  readonly keepDays: number
  /** All actions of the plugins that are on, by name. */
  readonly actions: ReadonlyMap<string, AuditAction>
}

/** What connections with one profile are shown. */
export interface ProfileSize {
  readonly name: string
  readonly tools: number
  /** Of them, those that a credential of scope read may call. */
  readonly readingTools: number
  /** Length of what goes into a model's context: names, descriptions and input schemas as JSON. */
  readonly characters: number
}

/** What is wrong with the host that a request names: it names none or several, or one that is not the service's. */
export type HostFault = 'ambiguous' | 'foreign'

/** The name under which the host decorates its server with its services. */
export const HOST_SERVICES = 'hostServices'

/** What the host offers to the body and the routes of a plugin. Contexts can be opened once the host is up. */
export interface HostServices extends Deployment {
  now(): Date
  /** Contributions of all plugins to a point. */
  readonly all: All
  config<T>(key: ConfigKey<T>): T
  profiles(): readonly ProfileSize[]
  /** Who a bearer token belongs to; null when it is unknown, expired or revoked. */
  authenticate(token: string): Promise<Actor | null>
  /** Who a request with a bearer token is from. @throws what `answerRouteError` answers 401 */
  caller(request: FastifyRequest): Promise<Actor>
  /** What is wrong with the host that a request names; null = it is one of the service. Pages refuse all others. */
  hostFault(request: FastifyRequest): HostFault | null
  /**
   * Makes a scope one of addresses that programs use with a bearer token: hosts, origins, CORS and errors as at the MCP endpoint.
   * @param prefix path that all of them begin with, for example `/api/threads`
   */
  guardApi(scope: FastifyInstance, prefix: string): void
  /**
   * Compiles a reader for what a route is given, with the errors that tools give for their arguments. An object that should refuse names
   * it does not know says `additionalProperties: false`.
   * @returns a function that returns what it was given as the schema reads it. @throws ToolError with all problems at once.
   */
  inputChecker<S extends TObject>(schema: S): (input: unknown) => Static<S>
  /**
   * Error handler of routes for programs: answers what was thrown as `{"error":{…}}`, shaped as errors of tools are. A database that is
   * away is 503 with `Retry-After`; what was not meant for the caller is logged, and 500 without its text.
   */
  answerRouteError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply
  /** Whether an error says that the database cannot answer now, so that the same request may pass later. */
  isUnavailable(error: unknown): boolean
  /** Whether nobody can tell if what a request wanted to save was saved. */
  isOutcomeUnknown(error: unknown): boolean
  /** Whether a request comes from somebody who reads pages: browsers name HTML when they go to an address, programs do not. */
  wantsPage(request: Pick<FastifyRequest, 'headers'>): boolean
  readonly audit: AuditService
  /** What administrators do and see of the whole service. */
  readonly administration: Administration
  /** The authorization server, for the plugin that contributes `signIn`. */
  readonly authorization: Authorization
  /** Calls that wait for their user's decision, for the plugin whose `signIn` has a page for them. */
  readonly confirmations: Confirmations
  /** Everything that a user has, as a file; see `tasuki user export`. Recorded in the audit trail. */
  exportUser(call: RouteCall, user: Pick<User, 'id' | 'email'>): Promise<ExportedFile>
  /** Like a reading tool. @throws ToolError forbidden when the user is gone or disabled. */
  read<T>(call: RouteCall, work: (ctx: ReadContext) => Promise<T>): Promise<T>
  /** Like a writing tool: one transaction. @throws ToolError forbidden when the user is gone or disabled. */
  write<T>(call: RouteCall, work: (ctx: WriteContext) => Promise<T>): Promise<T>
}
