import type { Database } from '../db/database.ts'
import type { Log } from '../plugin/context.ts'
import type { PrincipalClaim } from '../plugin/claim.ts'
import type { Authenticate, Principal, SystemPrincipals } from '../runtime/principal.ts'
import { createCredentialRepository, type UserRow } from './credential.repository.ts'
import { isPersonalToken } from './token.ts'

/** Maximum delay of a revocation if its message is lost while the connection stays up. */
const CACHE_MS = 10_000
const CACHE_SIZE = 20_000

export interface Authenticator extends SystemPrincipals {
  readonly authenticate: Authenticate
  /** Removes users from the cache, so that their next request queries the database; all users without ids. */
  forget(userIds?: readonly string[]): void
  /** Disables the cache while `up` is false, because messages about revocations may be missed. */
  setListening(up: boolean): void
  /** Loads a user with claims, for work on behalf of that user; null if the user is deleted or disabled. */
  principalOf(db: Database['write'], userId: string): Promise<Principal | null>
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
export function createAuthenticator({ database, claims, log, now, audience }: AuthenticatorOptions): Authenticator {
  // Keyed by the token itself, which never leaves memory: hashing it on each request would take as long as a cache look-up.
  const cache = new Map<string, { readonly principal: Principal; readonly until: number }>()
  const loading = new Map<string, Promise<Principal | null>>()
  const uses = new Map<string, Date>()
  // Tokens that were valid once. Their look-up is not blocked while an address has tried too many tokens.
  const knownTokens = new Set<string>()
  let listening = true
  let hits = 0
  let misses = 0
  // Discards loads that began before a revocation.
  let epoch = 0

  const credentials = createCredentialRepository(claims)
  const parseClaims = (row: UserRow): ReadonlyMap<string, unknown> =>
    new Map(claims.map((claim, n) => [claim.name, claim.parse(row[`f${n}`] ?? null)]))
  const userOf = (row: UserRow): Principal['user'] => ({
    id: row.id,
    email: row.email,
    name: row.name,
    timeZone: row.time_zone,
  })

  const load = async (token: string): Promise<Principal | null> => {
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
  }
  const ifValid = (principal: Principal | null, at: number): Principal | null =>
    principal && (principal.expiresAt === null || principal.expiresAt > at) ? principal : null

  const recordUse = (principal: Principal, at: number): Principal | null => {
    const allowed = ifValid(principal, at)
    if (allowed?.actor.credentialId) uses.set(allowed.actor.credentialId, new Date(at))
    return allowed
  }
  const loadAndCache = async (token: string, at: number): Promise<Principal | null> => {
    const startEpoch = epoch
    const loadKey = `${startEpoch} ${token}`
    let pending = loading.get(loadKey)
    if (!pending) {
      pending = load(token).finally(() => loading.delete(loadKey))
      loading.set(loadKey, pending)
    }
    const principal = await pending
    if (!principal) return null
    if (knownTokens.size >= CACHE_SIZE) knownTokens.delete(knownTokens.keys().next().value!)
    knownTokens.add(token)
    if (listening && startEpoch === epoch) {
      if (cache.size >= CACHE_SIZE) cache.delete(cache.keys().next().value!)
      cache.set(token, { principal, until: at + CACHE_MS })
    }
    return recordUse(principal, at)
  }
  const authenticate: Authenticate = (token, { onlyKnown = false } = {}) => {
    const at = now().getTime()
    const cached = listening ? cache.get(token) : undefined
    if (cached && cached.until > at) {
      hits++
      return recordUse(cached.principal, at)
    }
    misses++
    return onlyKnown && !knownTokens.has(token) ? null : loadAndCache(token, at)
  }

  const systemPrincipal: Authenticator['systemPrincipal'] = (
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
    authenticate,
    systemPrincipal,
    forget(userIds) {
      epoch++
      if (!userIds) return cache.clear()
      for (const [key, { principal }] of cache) if (userIds.includes(principal.user.id)) cache.delete(key)
    },
    setListening(up) {
      listening = up
      epoch++
      cache.clear()
      if (!up) log.warn({}, 'credentials are checked in the database on every request')
    },
    async principalOf(db, userId) {
      const row = await credentials.readUser(db, userId)
      return row ? { ...systemPrincipal(userOf(row)), claims: parseClaims(row) } : null
    },
    cacheUse: () => ({ hits, misses, kept: cache.size }),
    takeUses() {
      const recent = new Map(uses)
      uses.clear()
      return recent
    },
  }
}
