import type { Adapter, AdapterPayload } from 'oidc-provider'
import { json } from '../../plugin/tables.ts'
import { artifactId } from './artifact-id.ts'
import { consumeArtifact, deleteArtifacts, findArtifact, putArtifact, type ArtifactKey } from './artifact.repository.ts'
import type { OAuthContext } from './context.ts'
import { ROUTES, UNUSED_CLIENT_SECONDS } from './settings.ts'

interface Row {
  readonly payload: AdapterPayload
  readonly consumed_at: string | null
}

/** Storage adapter of oidc-provider on one table. The stored values are useless to a reader of the database. */
export function createArtifactAdapter(context: OAuthContext): (kind: string) => Adapter {
  const { database, settings, oidc, now } = context
  return kind => {
    const { write: db } = database
    const remove = async (key: ArtifactKey): Promise<void> => {
      const users = await deleteArtifacts(db, key)
      if (users.length > 0) context.forget(users)
    }
    return {
      async upsert(id, payload, expiresIn) {
        const { grantId, accountId, uid } = payload
        // An unapproved registration expires; approving it removes the expiry.
        const seconds = kind === 'Client' ? UNUSED_CLIENT_SECONDS : expiresIn
        const at = now()
        await putArtifact(db, {
          id: artifactId(kind, id),
          kind,
          payload: json(toStored(context, kind, id, payload)),
          user_id: accountId ?? null,
          connection_id: kind === 'Grant' ? id : (grantId ?? null),
          uid: uid ?? null,
          created_at: at,
          expires_at: seconds === undefined ? null : new Date(at.getTime() + seconds * 1000),
        })
      },
      async find(id) {
        const row = await findArtifact(db, { id: artifactId(kind, id) }, now())
        const found = row && fromStored(context, kind, id, row)
        if (found) recordPresented(context, found)
        return found
      },
      async findByUid(uid) {
        // Only for comparing the owner of the session. The session id is known only to the browser.
        return (await findArtifact(db, { kind, uid }, now()))?.payload
      },
      findByUserCode: async () => undefined,
      async consume(id) {
        const first = await consumeArtifact(db, artifactId(kind, id), now())
        // The provider reads, checks and then consumes; of concurrent requests only one may succeed.
        if (!first && !(kind === 'RefreshToken' && settings.refresh_reuse_grace_seconds > 0))
          throw new oidc.errors.InvalidGrant('already used')
      },
      destroy: id => remove({ id: artifactId(kind, id) }),
      revokeByGrantId: grantId => remove({ kind, connection_id: grantId }),
    }
  }
}

/** Records whose code or token a request presents, before the provider validates it. */
function recordPresented({ oidc, presentations }: OAuthContext, { accountId, grantId }: AdapterPayload): void {
  const { ctx } = oidc.Provider
  if (ctx && accountId !== undefined) presentations.set(ctx.req, { userId: accountId, connectionId: grantId ?? null })
}

/** Removes or encrypts the secrets of a payload before it is stored. */
function toStored({ sealer }: OAuthContext, kind: string, id: string, payload: AdapterPayload): object {
  const { jti: _secret, ...rest } = payload
  if (kind === 'Client' && typeof rest.client_secret === 'string')
    return { ...rest, client_secret: sealer.seal(rest.client_secret, id) }
  if (kind !== 'Interaction') return rest
  // Both contain ids that only the browser may know: of its session and of this interaction.
  const { returnTo: _address, session, ...interaction } = rest
  if (!session) return interaction
  const { cookie: _cookie, ...publicSession } = session as { cookie?: string }
  return { ...interaction, session: publicSession }
}

function fromStored(context: OAuthContext, kind: string, id: string, row: Row): AdapterPayload | undefined {
  const { payload } = row
  if (kind === 'Client') {
    if (typeof payload.client_secret !== 'string') return payload
    const secret = context.sealer.open(payload.client_secret, id)
    // The secret was encrypted with an older key of the deployment. The client gets `invalid_client` and registers again.
    return secret === null ? undefined : { ...payload, client_secret: secret }
  }
  const consumed = consumedSeconds(context, kind, row)
  return {
    ...payload,
    jti: id,
    ...(kind === 'Interaction' && { returnTo: `${context.baseUrl}${ROUTES.authorization}/${id}` }),
    ...(consumed !== undefined && { consumed }),
  }
}

/** Processes that share a refresh token use it concurrently. In the grace period this is no theft, and returns the same tokens. */
function consumedSeconds({ settings, now }: OAuthContext, kind: string, { consumed_at: at }: Row): number | undefined {
  if (at === null) return undefined
  const consumed = new Date(at).getTime()
  const inGrace = now().getTime() - consumed < settings.refresh_reuse_grace_seconds * 1000
  return kind === 'RefreshToken' && inGrace ? undefined : Math.floor(consumed / 1000)
}
