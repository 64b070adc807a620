import { sql } from 'kysely'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import type { Database } from '../../db/database.ts'
import { CLAIMS_CHANNEL } from '../../runtime/runner.ts'
import type { Sealer } from '../../plugin/sealer.ts'
import { artifactId } from './artifact-id.ts'
import { ROUTES, UNUSED_CLIENT_SECONDS } from './settings.ts'

export interface ArtifactStore {
  readonly database: Pick<Database, 'write'>
  readonly sealer: Sealer
  readonly baseUrl: string
  /** Seconds for which a refresh token that was used may be used again. */
  readonly reuseGraceSeconds: number
  readonly now: () => Date
  /** Forgets cached credentials of users in this process at once. */
  readonly forget: (userIds: readonly string[]) => void
  /** What redeeming a code or token a second time at the same moment is refused with. */
  readonly alreadyUsed: () => Error
}

interface Row {
  readonly payload: AdapterPayload
  readonly consumed_at: Date | string | null
}

/** The storage of oidc-provider on one table. Nothing in it can be used by somebody who reads it. */
export function artifactAdapter(store: ArtifactStore): (kind: string) => Adapter {
  return kind => {
    const columns = sql.raw('payload, consumed_at')
    const find = async (condition: ReturnType<typeof sql>): Promise<Row | undefined> => {
      const { rows } = await sql<Row>`
        select ${columns} from core.oauth_artifacts
        where ${condition} and kind = ${kind} and (expires_at is null or expires_at > ${store.now()})
      `.execute(store.database.write)
      return rows[0]
    }
    return {
      async upsert(id, payload, expiresIn) {
        const { grantId, accountId, uid } = payload
        // A registration that nobody has used yet; an approval keeps it.
        const seconds = kind === 'Client' ? UNUSED_CLIENT_SECONDS : expiresIn
        const now = store.now()
        await sql`
          insert into core.oauth_artifacts (id, kind, payload, user_id, connection_id, uid, created_at, expires_at)
          values (${artifactId(kind, id)}, ${kind}, ${JSON.stringify(toStored(store, kind, id, payload))}::jsonb,
            ${accountId ?? null}, ${kind === 'Grant' ? id : (grantId ?? null)}, ${uid ?? null}, ${now},
            ${seconds === undefined ? null : new Date(now.getTime() + seconds * 1000)})
          on conflict (id) do update set payload = excluded.payload, user_id = excluded.user_id,
            connection_id = excluded.connection_id, uid = excluded.uid, expires_at = excluded.expires_at
        `.execute(store.database.write)
      },
      async find(id) {
        const row = await find(sql`id = ${artifactId(kind, id)}`)
        return row && fromStored(store, kind, id, row)
      },
      async findByUid(uid) {
        // Only to compare whose session it is: the id is known to the browser alone.
        return (await find(sql`uid = ${uid}`))?.payload
      },
      findByUserCode: async () => undefined,
      async consume(id) {
        const { rows } = await sql`
          update core.oauth_artifacts set consumed_at = ${store.now()}
          where id = ${artifactId(kind, id)} and consumed_at is null returning id
        `.execute(store.database.write)
        // The provider looks, checks and then consumes: of requests at the same moment only one may go on.
        if (rows.length === 0 && !(kind === 'RefreshToken' && store.reuseGraceSeconds > 0)) throw store.alreadyUsed()
      },
      destroy: id => remove(store, sql`id = ${artifactId(kind, id)}`),
      revokeByGrantId: grantId => remove(store, sql`kind = ${kind} and connection_id = ${grantId}`),
    }
  }
}

/** Deletes, and makes every instance check the credentials of the users concerned anew. */
async function remove(
  { database, forget }: Pick<ArtifactStore, 'database' | 'forget'>,
  condition: ReturnType<typeof sql>,
): Promise<void> {
  const { rows } = await sql<{ user_id: string }>`
    with gone as (delete from core.oauth_artifacts where ${condition} returning kind, user_id)
    select user_id, pg_notify(${CLAIMS_CHANNEL}, jsonb_build_array(user_id)::text) from gone
    where user_id is not null and kind in ('Grant', 'AccessToken') group by user_id
  `.execute(database.write)
  if (rows.length > 0) forget(rows.map(row => row.user_id))
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

/** Programs that share a refresh token use it at the same time: for a while that is no theft. */
function consumedSeconds(store: ArtifactStore, kind: string, { consumed_at: at }: Row): number | undefined {
  if (at === null) return undefined
  const consumed = new Date(at).getTime()
  const inGrace = store.now().getTime() - consumed < store.reuseGraceSeconds * 1000
  return kind === 'RefreshToken' && inGrace ? undefined : Math.floor(consumed / 1000)
}
