import type { Actor, Db } from '../plugin/context.ts'
import type { User } from '../plugin/users.ts'

/** A checked credential with everything about its user that calls need; cached, so it must stay immutable. */
export interface Principal {
  readonly actor: Actor
  readonly user: User
  /** Parsed claims by name; see `defineClaim`. */
  readonly claims: ReadonlyMap<string, unknown>
  /** Milliseconds since the epoch; null = does not expire. */
  readonly expiresAt: number | null
}

/** Makes the principals of work that no credential asked for. */
export interface SystemPrincipals {
  /** @param user on whose behalf it works; left out, nobody's. */
  systemPrincipal(user?: Principal['user']): Principal
  /** The system on behalf of a user, with their claims; null where they are gone or disabled. */
  principalOf(db: Db, userId: string): Promise<Principal | null>
}

/**
 * Finds who a bearer token belongs to, at once where it is known, as most are; null when it is unknown, expired or revoked.
 * With `onlyKnown` the database is asked only for tokens that were valid in this process before.
 */
export type Authenticate = (
  token: string,
  options?: { readonly onlyKnown?: boolean },
) => Principal | null | Promise<Principal | null>
