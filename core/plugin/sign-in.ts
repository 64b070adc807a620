import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ReadContext, WriteContext } from './context.ts'
import { definePoint } from './point.ts'

/**
 * Who is sitting at the browser. The plugin with the sign-in pages contributes it, at most one may;
 * without it there is no authorization server, and personal access tokens are the only way in.
 */
export interface SignIn {
  /** The browser session; null when nobody is signed in. */
  session(request: FastifyRequest): Promise<{ readonly id: string; readonly userId: string } | null>
  /** Path of the page where a person signs in and is then sent to `returnTo`, a path of this origin. */
  signInPath(returnTo: string): string
  /**
   * Path of the page that asks the person about one authorization; it must end in the id, and its form must post to it:
   * the browser proves whom it was sent for by a cookie of exactly this path.
   */
  consentPath(authorizationId: string): string
  /**
   * Path of the page on which a person decides on a confirmation of `services.confirmations`, for clients that can open pages and show
   * no forms; left out, those confirm by token. It shows a confirmation to its own user alone.
   */
  confirmationPath?(id: string): string
  /**
   * The page for a person whose authorization request cannot be answered to the app: a whole HTML document. It may load styles and
   * pictures of this origin; forms, scripts and frames are forbidden to it.
   */
  problemPage(request: FastifyRequest, problem: AuthorizationProblem): Promise<string>
}
export const signIn = definePoint<SignIn>('core.signIn')

/** Why an app could not be connected, where nobody but the person can be told. */
export interface AuthorizationProblem {
  /**
   * `unknown_app`: a registration that is not known any more; `unread_app`: the app is known by a document that could not be had or is
   * wrong; `expired`: too late, answered already, or begun in another browser;
   * `busy`: too many requests; `failed`: a fault of the service; `refused`: the request itself is wrong.
   */
  readonly reason: 'unknown_app' | 'unread_app' | 'expired' | 'busy' | 'failed' | 'refused'
  /** Code of OAuth 2.0 (RFC 6749 §4.1.2.1). */
  readonly error: string
  /** In English, for who makes apps; it may hold what the app has sent. */
  readonly description: string | null
  /**
   * Where the app would have been told, had the person agreed to it before. A page may offer it as a link whose text shows its host, for
   * anybody can register any address; left out where the app has no address.
   */
  readonly onward?: string
}

export type Scope = 'read' | 'write'

/** What a client asks a person for. Everything of the client is its own claim unless `verifiedHost` is set. */
export interface AuthorizationRequest {
  readonly id: string
  readonly client: {
    readonly id: string
    /** Empty when it gave none. */
    readonly name: string
    readonly uri: string | null
    /** Host whose metadata document names this client; null for one that registered itself. */
    readonly verifiedHost: string | null
  }
  /** Where the answer goes. */
  readonly redirectUri: string
  /** The redirect stays on the person's computer, where any program could be listening. */
  readonly loopback: boolean
  readonly scopes: readonly Scope[]
}

/**
 * Where an address of an app leads, as people are shown it: the host of a web address, and of any other its scheme too, behind which
 * anybody may write the name of a site.
 */
export function placeOf(address: string): string {
  const { protocol, host } = new URL(address)
  if (/^https?:$/.test(protocol)) return host
  return host === '' ? protocol : `${protocol}//${host}`
}

/** One approval by one person for one client, until it is ended. */
export interface Connection {
  readonly id: string
  /** Empty when it gave none. */
  readonly clientName: string
  readonly verifiedHost: string | null
  readonly redirectHost: string
  readonly scope: Scope
  /** Ids of the projects that it is limited to, also of those that the user does not see any more; null = all. */
  readonly projects: readonly string[] | null
  /** ISO 8601 UTC. */
  readonly createdAt: string
  /** ISO 8601 UTC; null = never. */
  readonly lastUsedAt: string | null
}

/** What a person says to an authorization request. */
export interface AuthorizationAnswer {
  /** Of these only scopes count that were asked for; null, or none that counts, denies. */
  readonly granted: readonly Scope[] | null
  /**
   * The projects that the app may reach, at least one, each of which the person must see: the sign-in pages check that. `name` is what the
   * audit trail calls it. Left out or null = all, later ones too.
   */
  readonly projects?: readonly { readonly id: string; readonly name: string }[] | null
  /** What the person is told of it when the app is connected. */
  readonly browser?: string
}

/** The authorization server as the sign-in pages see it. */
export interface Authorization {
  /**
   * The request that this browser was sent here with; null when it is unknown, expired or answered,
   * or when its person is not the one who is signed in now.
   */
  pending(request: FastifyRequest, reply: FastifyReply, id: string): Promise<AuthorizationRequest | null>
  /**
   * Answers it and returns the path at which the browser goes on. Show that address by a page with a meta refresh: a redirect after a form
   * post runs into `form-action`.
   * @throws ToolError not_found when nothing is pending, invalid_argument for projects that are no ids or none at all
   */
  answer(request: FastifyRequest, reply: FastifyReply, id: string, answer: AuthorizationAnswer): Promise<string>
  /** Live connections of a user, newest first. */
  connections(ctx: ReadContext, userId: string): Promise<readonly Connection[]>
  /** Ends a connection and its tokens at once, on every instance. @throws ToolError not_found */
  disconnect(ctx: WriteContext, userId: string, id: string): Promise<void>
}
