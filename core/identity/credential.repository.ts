import { sql, type RawBuilder } from 'kysely'
import type { ActorKind, Db } from '../plugin/context.ts'
import type { PrincipalClaim } from '../plugin/claim.ts'
import { artifactId } from './oauth/artifact-id.ts'
import { hashToken } from './token.ts'

/** A user with the columns of the claims; `f0` is the first. */
export interface UserRow {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly time_zone: string
  readonly [claim: `f${number}`]: unknown
}

export interface LimitedUserRow extends UserRow {
  readonly projects: readonly string[] | null
}

/** A valid credential with its user. */
export interface CredentialRow extends UserRow {
  readonly token_id: string
  readonly token_name: string | null
  readonly scope: 'read' | 'write'
  readonly actor_kind: ActorKind
  readonly projects: readonly string[] | null
  /** Milliseconds since 1970; null = no expiry. */
  readonly expires_ms: number | null
}

/** Loads credentials, each with one statement that reads everything needed for access decisions. */
export interface CredentialRepository {
  readPersonalToken(db: Db, token: string): Promise<CredentialRow | undefined>
  /** @param resource required audience of the token */
  readAccessToken(db: Db, token: string, resource: string): Promise<CredentialRow | undefined>
  /** @param credentialId token or connection that must still be valid; its projects limit the user's. Null = none */
  readUser(db: Db, userId: string, credentialId: string | null, now: Date): Promise<LimitedUserRow | undefined>
}

/** @param claims SQL expressions that plugins add to the statements */
export function createCredentialRepository(claims: readonly PrincipalClaim<unknown>[]): CredentialRepository {
  const columns = sql.raw(
    ['u.id, u.email, u.name, u.time_zone', ...claims.map((claim, n) => `(${claim.sql}) as f${n}`)].join(', '),
  )
  const first = async <R>(db: Db, query: RawBuilder<R>): Promise<R | undefined> => (await query.execute(db)).rows[0]
  return {
    readPersonalToken: (db, token) =>
      first(
        db,
        sql<CredentialRow>`
          select t.id as token_id, t.name as token_name, t.scope, t.actor_kind, t.projects,
            (extract(epoch from t.expires_at) * 1000)::float8 as expires_ms, ${columns}
          from core.tokens t join core.users u on u.id = t.user_id
          where t.hash = ${hashToken(token)} and t.revoked_at is null and u.disabled_at is null
        `,
      ),
    // The connection determines the permissions, and an access token is valid only while its connection exists.
    readAccessToken: (db, token, resource) =>
      first(
        db,
        sql<CredentialRow>`
          select g.connection_id as token_id, nullif(g.payload->'connection'->>'clientName', '') as token_name,
            case when 'write' = any(s.scopes) then 'write' else 'read' end as scope, 'assistant' as actor_kind,
            g.payload->'connection'->'projects' as projects, (extract(epoch from t.expires_at) * 1000)::float8 as expires_ms, ${columns}
          from core.oauth_artifacts t
            join core.oauth_artifacts g on g.connection_id = t.connection_id and g.kind = 'Grant'
            join core.users u on u.id = t.user_id
            cross join lateral (select string_to_array(t.payload->>'scope', ' ') as scopes) s
          where t.id = ${artifactId('AccessToken', token)} and t.payload->>'aud' = ${resource}
            and s.scopes && array['read', 'write'] and u.disabled_at is null
        `,
      ),
    readUser: (db, userId, credentialId, now) =>
      first(
        db,
        sql<LimitedUserRow>`
          select ${columns}, c.projects from core.users u left join lateral (
            select true as is_valid, t.projects from core.tokens t where t.id = ${credentialId}::uuid and t.user_id = u.id
              and t.revoked_at is null and (t.expires_at is null or t.expires_at > ${now})
            union all
            select true, g.payload->'connection'->'projects' from core.oauth_artifacts g
              where g.connection_id = ${credentialId}::uuid and g.kind = 'Grant' and g.user_id = u.id
          ) c on true
          where u.id = ${userId} and u.disabled_at is null and (${credentialId}::uuid is null or c.is_valid)
        `,
      ),
  }
}
