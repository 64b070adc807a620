import type { Adapter, AdapterPayload } from 'oidc-provider'
import type { Database } from '../../db/database.ts'
import type { Sealer } from '../../plugin/sealer.ts'
import { json } from '../../plugin/tables.ts'
import { artifactId } from './artifact-id.ts'
import { consumeArtifact, deleteArtifacts, findArtifact, putArtifact, type ArtifactKey } from './artifact.repository.ts'
import { ROUTES, UNUSED_CLIENT_SECONDS } from './settings.ts'

export interface ArtifactStore {
  readonly database: Pick<Database, 'write'>
  readonly sealer: Sealer
  readonly baseUrl: string
  /** Seconds during which a used refresh token returns the same tokens again. */
  readonly reuseGraceSeconds: number
  readonly now: () => Date
  /** Called with each found artifact that belongs to a user, before the provider validates it. */
  readonly found: (payload: AdapterPayload) => void
  /** Removes users from the credential cache of this process. */
  readonly forget: (userIds: readonly string[]) => void
  /** Creates the error for a concurrent second use of a code or token. */
  readonly alreadyUsed: () => Error
}

interface Row {
  readonly payload: AdapterPayload
  readonly consumed_at: string | null
}

/** Storage adapter of oidc-provider on one table. The stored values are useless to a reader of the database. */
export function createArtifactAdapter(store: ArtifactStore): (kind: string) => Adapter {
  return kind => {
    const { write: db } = store.database
    const remove = async (key: ArtifactKey): Promise<void> => {
      const users = await deleteArtifacts(db, key)
      if (users.length > 0) store.forget(users)
    }
    return {
      async upsert(id, payload, expiresIn) {
        const { grantId, accountId, uid } = payload
        // An unapproved registration expires; approving it removes the expiry.
        const seconds = kind === 'Client' ? UNUSED_CLIENT_SECONDS : expiresIn
        const now = store.now()
        await putArtifact(db, {
          id: artifactId(kind, id),
          kind,
          payload: json(toStored(store, kind, id, payload)),
          user_id: accountId ?? null,
          connection_id: kind === 'Grant' ? id : (grantId ?? null),
          uid: uid ?? null,
          created_at: now,
          expires_at: seconds === undefined ? null : new Date(now.getTime() + seconds * 1000),
        })
      },
      async find(id) {
        const row = await findArtifact(db, { id: artifactId(kind, id) }, store.now())
        const found = row && fromStored(store, kind, id, row)
        if (found?.accountId !== undefined) store.found(found)
        return found
      },
      async findByUid(uid) {
        // Only for comparing the owner of the session. The session id is known only to the browser.
        return (await findArtifact(db, { kind, uid }, store.now()))?.payload
      },
      findByUserCode: async () => undefined,
      async consume(id) {
        const first = await consumeArtifact(db, artifactId(kind, id), store.now())
        // The provider reads, checks and then consumes; of concurrent requests only one may succeed.
        if (!first && !(kind === 'RefreshToken' && store.reuseGraceSeconds > 0)) throw store.alreadyUsed()
      },
      destroy: id => remove({ id: artifactId(kind, id) }),
      revokeByGrantId: grantId => remove({ kind, connection_id: grantId }),
    }
  }
}

/** Removes or encrypts the secrets of a payload before it is stored. */
function toStored({ sealer }: ArtifactStore, kind: string, id: string, payload: AdapterPayload): object {
  const { jti: _secret, ...rest } = payload
  if (kind === 'Client' && typeof rest.client_secret === 'string') {
    return { ...rest, client_secret: sealer.seal(rest.client_secret, id) }
  }
  if (kind !== 'Interaction') return rest
  // Both contain ids that only the browser may know: of its session and of this interaction.
  const { returnTo: _address, session, ...interaction } = rest
  if (!session) return interaction
  const { cookie: _cookie, ...publicSession } = session as { cookie?: string }
  return { ...interaction, session: publicSession }
}

function fromStored(store: ArtifactStore, kind: string, id: string, row: Row): AdapterPayload | undefined {
  const { payload } = row
  if (kind === 'Client') {
    if (typeof payload.client_secret !== 'string') return payload
    const secret = store.sealer.open(payload.client_secret, id)
    // The secret was encrypted with an older key of the deployment. The client gets `invalid_client` and registers again.
    return secret === null ? undefined : { ...payload, client_secret: secret }
  }
  const consumed = consumedSeconds(store, kind, row)
  return {
    ...payload,
    jti: id,
    ...(kind === 'Interaction' && { returnTo: `${store.baseUrl}${ROUTES.authorization}/${id}` }),
    ...(consumed !== undefined && { consumed }),
  }
}

/**
 * Processes that share a refresh token use it concurrently. During the grace period this is not treated as theft, and returns the same
 * tokens.
 */
function consumedSeconds(store: ArtifactStore, kind: string, { consumed_at: at }: Row): number | undefined {
  if (at === null) return undefined
  const consumed = new Date(at).getTime()
  const inGrace = store.now().getTime() - consumed < store.reuseGraceSeconds * 1000
  return kind === 'RefreshToken' && inGrace ? undefined : Math.floor(consumed / 1000)
}
