import type { Database } from '../db/database.ts'
import type { Log } from '../plugin/context.ts'
import type { PrincipalClaim } from '../plugin/claim.ts'
import type { Authenticate, Principal, SystemPrincipals } from '../runtime/principal.ts'
import { CredentialCache } from './credential-cache.ts'
import { createCredentialRepository, type UserRow } from './credential.repository.ts'
import { isPersonalToken } from './token.ts'

export interface Authenticator extends SystemPrincipals {
  readonly authenticate: Authenticate
  /** Removes users from the cache, so that their next request queries the database; all users without ids. */
  forget(userIds?: readonly string[]): void
  /** Disables the cache while `up` is false, because messages about revocations may be missed. */
  setListening(up: boolean): void
  /**
   * Loads a user with claims, for work on behalf of that user; null if the user is deleted or disabled.
   * @param credentialId credential that asked for the work; then null also if it is no longer valid, and its projects limit the work
   */
  principalOf(db: Database['write'], userId: string, credentialId?: string | null): Promise<Principal | null>
  /** Returns hits, misses and size of the credential cache. */
  cacheUse(): { readonly hits: number; readonly misses: number; readonly kept: number }
  /** Returns token ids with their last use since the previous call. */
  takeUses(): ReadonlyMap<string, Date>
}

export interface AuthenticatorOptions {
  readonly database: Database
  readonly claims: readonly PrincipalClaim<unknown>[]
  readonly log: Log
  readonly now: () => Date
  /** Audience that access tokens of the authorization server must have; null without an authorization server. */
  readonly audience: (() => string) | null
}

/** Creates the authenticator of bearer tokens: one indexed look-up, cached until the user changes or the entry expires. */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { log, now } = options
  const cache = new CredentialCache()
  const principals = createPrincipals(options)
  const uses = new Map<string, Date>()

  const recordUse = (principal: Principal, at: number): Principal | null => {
    if (principal.expiresAt !== null && principal.expiresAt <= at) return null
    const { credentialId } = principal.actor
    if (credentialId) uses.set(credentialId, new Date(at))
    return principal
  }
  const loadAndCache = async (token: string, at: number): Promise<Principal | null> => {
    const principal = await cache.load(token, at, principals.ofToken)
    return principal && recordUse(principal, at)
  }
  return {
    authenticate(token, { onlyKnown = false } = {}) {
      const at = now().getTime()
      const cached = cache.get(token, at)
      if (cached) return recordUse(cached, at)
      return onlyKnown && !cache.isKnown(token) ? null : loadAndCache(token, at)
    },
    systemPrincipal: principals.system,
    principalOf: principals.ofUser,
    forget: userIds => cache.forget(userIds),
    setListening(up) {
      cache.setListening(up)
      if (!up) log.warn({}, 'credentials are checked in the database on every request')
    },
    cacheUse: () => cache.use(),
    takeUses() {
      const recent = new Map(uses)
      uses.clear()
      return recent
    },
  }
}

function createPrincipals({ database, claims, audience, now }: AuthenticatorOptions) {
  const credentials = createCredentialRepository(claims)
  const parseClaims = (row: UserRow): ReadonlyMap<string, unknown> =>
    new Map(claims.map((claim, n) => [claim.name, claim.parse(row[`f${n}`] ?? null)]))
  const userOf = ({ id, email, name, time_zone: timeZone }: UserRow): Principal['user'] => ({
    id,
    email,
    name,
    timeZone,
  })
  const system: Authenticator['systemPrincipal'] = (
    user = { id: '00000000-0000-0000-0000-000000000000', email: '', name: 'system', timeZone: 'UTC' },
  ) => ({
    actor: {
      userId: user.id,
      kind: 'system',
      scope: 'write',
      credentialId: null,
      credentialLabel: null,
      projects: null,
      client: null,
    },
    user,
    claims: new Map(claims.map(claim => [claim.name, claim.parse(null)])),
    expiresAt: null,
  })
  return {
    system,
    async ofToken(token: string): Promise<Principal | null> {
      const db = database.write
      // From the primary, because a replica may lag behind a revocation.
      const row = isPersonalToken(token)
        ? await credentials.readPersonalToken(db, token)
        : audience && (await credentials.readAccessToken(db, token, audience()))
      if (!row) return null
      return {
        actor: {
          userId: row.id,
          kind: row.actor_kind,
          scope: row.scope,
          credentialId: row.token_id,
          credentialLabel: row.token_name,
          projects: row.projects,
          client: null,
        },
        user: userOf(row),
        claims: parseClaims(row),
        expiresAt: row.expires_ms,
      }
    },
    async ofUser(db: Database['write'], userId: string, credentialId: string | null = null): Promise<Principal | null> {
      const row = await credentials.readUser(db, userId, credentialId, now())
      if (!row) return null
      const { actor, ...others } = system(userOf(row))
      return { ...others, actor: { ...actor, projects: row.projects }, claims: parseClaims(row) }
    },
  }
}
