import type { FastifyRequest } from 'fastify'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type * as Oidc from 'oidc-provider'
import type { Database } from '../../db/database.ts'
import type { Log, WriteContext } from '../../plugin/context.ts'
import type { Sealer } from '../../plugin/sealer.ts'
import type { Authorization, SignIn } from '../../plugin/sign-in.ts'
import type { AuditTrail } from '../../runtime/audit/trail.ts'
import type { OAuthSettings } from './settings.ts'

export interface OAuthOptions {
  /** Loads the library soon after listening, so that the first sign-in is fast. */
  readonly warmUp: boolean
  readonly signIn: SignIn
  readonly settings: OAuthSettings
  readonly database: Database
  /** 32-byte key that encrypts stored secrets; the same on all instances. */
  readonly key: Buffer
  readonly baseUrl: () => string
  readonly allowedHosts: readonly string[]
  /** Removes users from the credential cache of this process. */
  readonly forget: (userIds: readonly string[]) => void
  readonly trail: AuditTrail
  /** Runs work in a transaction on behalf of a request. */
  readonly write: <T>(request: FastifyRequest, work: (ctx: WriteContext) => Promise<T>) => Promise<T>
  readonly log: Log
  readonly now: () => Date
}

/** What the parts of the loaded authorization server share. */
export interface OAuthContext extends Omit<OAuthOptions, 'warmUp' | 'baseUrl' | 'allowedHosts'> {
  readonly oidc: typeof Oidc
  readonly baseUrl: string
  readonly sealer: Sealer
  /** Requests and signed-in users for the provider, which sees only the raw requests. */
  readonly visitors: Visitors
  /** Owners of the codes and tokens that requests present, even if the request is refused. */
  readonly presentations: WeakMap<IncomingMessage, { readonly userId: string; readonly connectionId: string | null }>
}

/** The request, and the id of its user; undefined = nobody is signed in. */
export type Visitors = WeakMap<
  IncomingMessage,
  { readonly request: FastifyRequest; readonly userId: string | undefined }
>

/** The authorization server after loading. */
export interface LoadedServer {
  readonly provider: Oidc.Provider
  readonly callback: (request: IncomingMessage, response: ServerResponse) => Promise<void>
  readonly consent: Pick<Authorization, 'pending' | 'answer'>
}
