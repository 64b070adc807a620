import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ReadContext, WriteContext } from './context.ts'
import { definePoint } from './point.ts'

/**
 * The browser sign-in, contributed by at most one plugin. Without it there is no authorization server, and only personal access tokens give
 * access.
 */
export interface SignIn {
  /** Returns the browser session; null if nobody is signed in. */
  session(request: FastifyRequest): Promise<{ readonly id: string; readonly userId: string } | null>
  /** Returns the path of the sign-in page, which redirects to `returnTo`, a path of this origin, after the sign-in. */
  signInPath(returnTo: string): string
  /**
   * Returns the path of the consent page for an authorization. The path must end with the id, and the form must post to the same path,
   * because the cookie of the request is limited to it.
   */
  consentPath(authorizationId: string): string
  /**
   * Returns the path of the page on which a user decides on a confirmation of `services.confirmations`, for clients that can open pages but
   * not show forms. Without it, such clients confirm by token. The page must show a confirmation only to its user.
   */
  confirmationPath?(id: string): string
  /**
   * Renders the page for an authorization request that cannot be answered to the app: a complete HTML document. It may load styles and
   * images of this origin, but no forms, scripts or frames.
   */
  problemPage(request: FastifyRequest, problem: AuthorizationProblem): Promise<string>
}
export const signIn = definePoint<SignIn>('core.signIn')

/** Why an app could not be connected, shown to the user because the app cannot be informed. */
export interface AuthorizationProblem {
  /**
   * `unknown_app`: the registration does not exist any more; `unread_app`: the metadata document of the app is not available or invalid;
   * `expired`: too late, already answered, or started in another browser; `busy`: too many requests; `failed`: an error of the service;
   * `refused`: the request itself is invalid.
   */
  readonly reason: 'unknown_app' | 'unread_app' | 'expired' | 'busy' | 'failed' | 'refused'
  /** Error code of OAuth 2.0 (RFC 6749 §4.1.2.1). */
  readonly error: string
  /** In English, for the developers of the app; it may contain data that the app has sent. */
  readonly description: string | null
  /**
   * Redirect URI that would have received the error if the user had approved the app before. A page may offer it as a link that shows its
   * host, because anyone can register any URI; undefined if the app has none.
   */
  readonly onward?: string
}

export type Scope = 'read' | 'write'

/** Authorization that a client requests from a user. The client data is unverified unless `verifiedHost` is set. */
export interface AuthorizationRequest {
  readonly id: string
  readonly client: {
    readonly id: string
    /** Empty if the client sent none. */
    readonly name: string
    readonly uri: string | null
    /** Host of the client's metadata document; null for a self-registered client. */
    readonly verifiedHost: string | null
  }
  /** Redirect URI of the response. */
  readonly redirectUri: string
  /** The redirect goes to the user's own computer, where any program could be listening. */
  readonly loopback: boolean
  readonly scopes: readonly Scope[]
}

/**
 * Returns how to show the target of an app's redirect URI: the host of a web URL; otherwise including the scheme, because the host of a
 * private scheme can be any name.
 */
export function placeOf(address: string): string {
  const { protocol, host } = new URL(address)
  if (/^https?:$/.test(protocol)) return host
  return host === '' ? protocol : `${protocol}//${host}`
}

/** An approval of a client by a user, until it is revoked. */
export interface Connection {
  readonly id: string
  /** Empty if the client sent none. */
  readonly clientName: string
  readonly verifiedHost: string | null
  readonly redirectHost: string
  readonly scope: Scope
  /** Ids of the projects that the app may access, including those that the user no longer sees; null = all. */
  readonly projects: readonly string[] | null
  /** ISO 8601 UTC. */
  readonly createdAt: string
  /** ISO 8601 UTC; null = never. */
  readonly lastUsedAt: string | null
}

/** A user's answer to an authorization request. */
export interface AuthorizationAnswer {
  /** Granted scopes; only requested ones count. Null or no matching scope denies the request. */
  readonly granted: readonly Scope[] | null
  /**
   * Projects that the app may access, at least one. The sign-in pages must check that the user can see each of them. `name` is recorded in
   * the audit trail. Undefined or null = all, including later ones.
   */
  readonly projects?: readonly { readonly id: string; readonly name: string }[] | null
  /** Browser name for the notification about the connected app. */
  readonly browser?: string
}

/** The authorization server for the sign-in pages. */
export interface Authorization {
  /** Returns the pending request of this browser; null if it is unknown, expired or answered, or if another user is signed in now. */
  pending(request: FastifyRequest, reply: FastifyReply, id: string): Promise<AuthorizationRequest | null>
  /**
   * Answers the request and returns the path to continue at. Use a page with a meta refresh, because a redirect after a form post is
   * blocked by `form-action`.
   * @throws ToolError not_found if nothing is pending, invalid_argument for invalid or empty projects
   */
  answer(request: FastifyRequest, reply: FastifyReply, id: string, answer: AuthorizationAnswer): Promise<string>
  /** Lists the live connections of a user, newest first. */
  connections(ctx: ReadContext, userId: string): Promise<readonly Connection[]>
  /** Revokes a connection and its tokens on every instance at once. @throws ToolError not_found */
  disconnect(ctx: WriteContext, userId: string, id: string): Promise<void>
}
