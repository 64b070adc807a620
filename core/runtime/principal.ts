import type { Actor, Db } from '../plugin/context.ts'
import type { User } from '../plugin/users.ts'

/** An authenticated credential with the user data that calls need; cached, so it must stay immutable. */
export interface Principal {
  readonly actor: Actor
  readonly user: User
  /** Parsed claims by name; see `defineClaim`. */
  readonly claims: ReadonlyMap<string, unknown>
  /** Milliseconds since the epoch; null = no expiry. */
  readonly expiresAt: number | null
}

/** Creates principals for work without a credential. */
export interface SystemPrincipals {
  /** @param user user on whose behalf the system works; undefined = none */
  systemPrincipal(user?: Principal['user']): Principal
  /** Returns the system acting for a user, with the user's claims; null if the user is deleted or disabled. */
  principalOf(db: Db, userId: string): Promise<Principal | null>
}

/**
 * Finds the principal of a bearer token, synchronously if it is cached; null if the token is unknown, expired or revoked.
 * With `onlyKnown`, the database is queried only for tokens that were valid in this process before.
 */
export type Authenticate = (
  token: string,
  options?: { readonly onlyKnown?: boolean },
) => Principal | null | Promise<Principal | null>
