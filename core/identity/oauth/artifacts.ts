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
  /** Seconds for which a refresh token that was used gives the same tokens again. */
  readonly reuseGraceSeconds: number
  readonly now: () => Date
  /** Hears of what a request presents that is somebody's, before it is judged. */
  readonly found: (payload: AdapterPayload) => void
  /** Forgets cached credentials of users in this process at once. */
  readonly forget: (userIds: readonly string[]) => void
  /** What redeeming a code or token a second time at the same moment is refused with. */
  readonly alreadyUsed: () => Error
}

interface Row {
  readonly payload: AdapterPayload
  readonly consumed_at: string | null
}

/** The storage of oidc-provider on one table. Nothing in it can be used by somebody who reads it. */
export function artifactAdapter(store: ArtifactStore): (kind: string) => Adapter {
  return kind => {
    const { write: db } = store.database
    const remove = async (key: ArtifactKey): Promise<void> => {
      const users = await deleteArtifacts(db, key)
      if (users.length > 0) store.forget(users)
    }
    return {
      async upsert(id, payload, expiresIn) {
        const { grantId, accountId, uid } = payload
        // A registration that nobody has used yet; an approval keeps it.
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
        // Only to compare whose session it is: the id is known to the browser alone.
        return (await findArtifact(db, { kind, uid }, store.now()))?.payload
      },
      findByUserCode: async () => undefined,
      async consume(id) {
        const first = await consumeArtifact(db, artifactId(kind, id), store.now())
        // The provider looks, checks and then consumes: of requests at the same moment only one may go on.
        if (!first && !(kind === 'RefreshToken' && store.reuseGraceSeconds > 0)) throw store.alreadyUsed()
      },
      destroy: id => remove({ id: artifactId(kind, id) }),
      revokeByGrantId: grantId => remove({ kind, connection_id: grantId }),
    }
  }
}

/** What is kept of a payload. */
function toStored({ sealer }: ArtifactStore, kind: string, id: string, payload: AdapterPayload): object {
  const { jti: _secret, ...rest } = payload
  if (kind === 'Client' && typeof rest.client_secret === 'string') {
    return { ...rest, client_secret: sealer.seal(rest.client_secret, id) }
  }
  if (kind !== 'Interaction') return rest
  // Both hold what only the browser may know: the ids of its session and of this interaction.
  const { returnTo: _address, session, ...interaction } = rest
  if (!session) return interaction
  const { cookie: _cookie, ...known } = session as { cookie?: string }
  return { ...interaction, session: known }
}

function fromStored(store: ArtifactStore, kind: string, id: string, row: Row): AdapterPayload | undefined {
  const { payload } = row
  if (kind === 'Client') {
    if (typeof payload.client_secret !== 'string') return payload
    const secret = store.sealer.open(payload.client_secret, id)
    // Sealed before the deployment's secret was changed: the client is told that it is unknown, and registers anew.
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

/** Programs that share a refresh token use it at the same time: for a while that is no theft, and gives the same tokens again. */
function consumedSeconds(store: ArtifactStore, kind: string, { consumed_at: at }: Row): number | undefined {
  if (at === null) return undefined
  const consumed = new Date(at).getTime()
  const inGrace = store.now().getTime() - consumed < store.reuseGraceSeconds * 1000
  return kind === 'RefreshToken' && inGrace ? undefined : Math.floor(consumed / 1000)
}
