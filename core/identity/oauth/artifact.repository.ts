import { sql } from 'kysely'
import type { Db, ReadContext, WriteContext } from '../../plugin/context.ts'
import { iso } from '../../plugin/sql.ts'
import { json, type NewRow, type Row } from '../../plugin/tables.ts'
import type { Connection } from '../../plugin/sign-in.ts'
import { CLAIMS_CHANNEL } from '../../runtime/runner.ts'

type Artifact = Row<'core.oauth_artifacts'>
/** One artifact by the hash of its id, a browser session by its uid, or all of a kind that belong to a connection. */
export type ArtifactKey =
  | { readonly id: string }
  | { readonly kind: string; readonly uid: string }
  | { readonly kind: string; readonly connection_id: string }

/** Finds what has not expired. */
export function findArtifact(
  db: Db,
  key: ArtifactKey,
  now: Date,
): Promise<Pick<Artifact, 'payload' | 'consumed_at'> | undefined> {
  return db
    .selectFrom('core.oauth_artifacts')
    .select(['payload', 'consumed_at'])
    .where(({ and, or, eb }) =>
      and([and(key), or([eb('expires_at', 'is', null), eb('expires_at', '>', now.toISOString())])]),
    )
    .executeTakeFirst()
}

/** Adds an artifact, or replaces what it says; when it was made and consumed stays. */
export async function putArtifact(db: Db, artifact: NewRow<'core.oauth_artifacts'>): Promise<void> {
  const { id: _id, kind: _kind, created_at: _at, ...changes } = artifact
  await db
    .insertInto('core.oauth_artifacts')
    .values(artifact)
    .onConflict(on => on.column('id').doUpdateSet(changes))
    .execute()
}

/** Adds an artifact unless it is there. */
export async function addArtifact(db: Db, artifact: NewRow<'core.oauth_artifacts'>): Promise<void> {
  await db
    .insertInto('core.oauth_artifacts')
    .values(artifact)
    .onConflict(on => on.column('id').doNothing())
    .execute()
}

/** @returns false when it was consumed already, or is not there */
export async function consumeArtifact(db: Db, id: string, now: Date): Promise<boolean> {
  const row = await db
    .updateTable('core.oauth_artifacts')
    .set({ consumed_at: now })
    .where('id', '=', id)
    .where('consumed_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes, and tells every instance whose credentials ended. @returns ids of those users */
export async function deleteArtifacts(db: Db, key: ArtifactKey): Promise<readonly string[]> {
  const rows = await db
    .with('gone', inner =>
      inner
        .deleteFrom('core.oauth_artifacts')
        .where(({ and }) => and(key))
        .returning(['kind', 'user_id']),
    )
    .selectFrom('gone')
    .select(['user_id', sql`pg_notify(${CLAIMS_CHANNEL}, jsonb_build_array(user_id)::text)`.as('notified')])
    .where('kind', 'in', ['Grant', 'AccessToken'])
    .where('user_id', 'is not', null)
    .groupBy('user_id')
    .execute()
  return rows.map(row => row.user_id!)
}

/** Deletes a connection with its codes and tokens. @returns what was shown of it; undefined when it was not there */
export async function deleteConnection(
  { db }: WriteContext,
  userId: string,
  id: string,
): Promise<Partial<ConnectionDetails> | undefined> {
  const rows = await db
    .deleteFrom('core.oauth_artifacts')
    .where('connection_id', '=', id)
    .where('user_id', '=', userId)
    .returning(['kind', 'payload'])
    .execute()
  const grant = rows.find(row => row.kind === 'Grant')
  return grant && ((grant.payload as { readonly connection?: ConnectionDetails }).connection ?? {})
}

/** Deletes everything of a user: connections, codes, tokens, and the sessions at the authorization server. @returns how many connections */
export async function deleteArtifactsOf({ db }: WriteContext, userId: string): Promise<number> {
  const rows = await db.deleteFrom('core.oauth_artifacts').where('user_id', '=', userId).returning('kind').execute()
  return rows.filter(({ kind }) => kind === 'Grant').length
}

/** What a Grant's row says of the connection besides what the provider needs. */
export type ConnectionDetails = Pick<Connection, 'clientName' | 'verifiedHost' | 'redirectHost' | 'scope' | 'projects'>

/** Live connections of a user, newest first. */
export async function readConnections({ db, now }: ReadContext, userId: string): Promise<readonly Connection[]> {
  const rows = await db
    .selectFrom('core.oauth_artifacts')
    .select(['connection_id as id', 'payload', iso('created_at').as('createdAt'), iso('last_used_at').as('lastUsedAt')])
    .where('user_id', '=', userId)
    .where('kind', '=', 'Grant')
    .where('expires_at', '>', now.toISOString())
    .orderBy('core.oauth_artifacts.created_at', 'desc')
    .orderBy('connection_id', 'desc')
    .execute()
  return rows.flatMap(({ id, payload, ...times }) => {
    const connection = payload.connection as ConnectionDetails | undefined
    // Those of before the choice have no projects.
    return connection ? [{ id: id!, ...times, ...connection, projects: connection.projects ?? null }] : []
  })
}

/** Tells whether somebody has approved a client, and has not ended all its connections. */
export async function hasConnection(db: Db, userId: string, clientId: string): Promise<boolean> {
  const row = await db
    .selectFrom('core.oauth_artifacts')
    .select('id')
    .where('user_id', '=', userId)
    .where('kind', '=', 'Grant')
    .where(({ ref }) => ref('payload', '->>').key('clientId'), '=', clientId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Adds what is shown of a connection to its grant. */
export async function describeConnection(db: Db, id: string, connection: ConnectionDetails): Promise<void> {
  await db
    .updateTable('core.oauth_artifacts')
    .set({ payload: sql`payload || ${json({ connection })}::jsonb` })
    .where('id', '=', id)
    .execute()
}

/** Keeps an artifact for good. */
export async function keepArtifact(db: Db, id: string): Promise<void> {
  await db.updateTable('core.oauth_artifacts').set({ expires_at: null }).where('id', '=', id).execute()
}

export async function deleteExpiredArtifacts({ db, now }: WriteContext): Promise<void> {
  await db.deleteFrom('core.oauth_artifacts').where('expires_at', '<', now.toISOString()).execute()
}

/** Deletes connections of which no code or token is left. @param before they have to be made */
export async function deleteEmptyConnections({ db }: WriteContext, before: Date): Promise<void> {
  await db
    .deleteFrom('core.oauth_artifacts as g')
    .where('g.kind', '=', 'Grant')
    .where('g.created_at', '<', before.toISOString())
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('core.oauth_artifacts as t')
            .select('t.id')
            .whereRef('t.connection_id', '=', 'g.connection_id')
            .where('t.kind', '<>', 'Grant'),
        ),
      ),
    )
    .execute()
}

/** Deletes registrations that nobody has approved, but for the newest. */
export async function deleteUnusedClients({ db }: WriteContext, keep: number): Promise<void> {
  await db
    .deleteFrom('core.oauth_artifacts')
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('core.oauth_artifacts')
        .select('id')
        .where('kind', '=', 'Client')
        .where('expires_at', 'is not', null)
        .orderBy('created_at', 'desc')
        .offset(keep),
    )
    .execute()
}
