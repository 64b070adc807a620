import { sql } from 'kysely'
import type { Db, ReadContext, WriteContext } from '../../plugin/context.ts'
import { updateWhere } from '../../plugin/rows-where.ts'
import { iso } from '../../plugin/sql.ts'
import { json, type NewRow } from '../../plugin/tables.ts'
import type { Connection } from '../../plugin/sign-in.ts'
import { CLAIMS_CHANNEL } from '../../runtime/runner.ts'

/** Selects one artifact by the hash of its id, a browser session by its uid, or all artifacts of a kind that belong to a connection. */
export type ArtifactKey =
  | { readonly id: string }
  | { readonly kind: string; readonly uid: string }
  | { readonly kind: string; readonly connection_id: string }

/** Finds an artifact that has not expired. */
export function findArtifact(db: Db, key: ArtifactKey, now: Date) {
  return db
    .selectFrom('core.oauth_artifacts')
    .select(['payload', 'consumed_at'])
    .where(({ and, or, eb }) =>
      and([and(key), or([eb('expires_at', 'is', null), eb('expires_at', '>', now.toISOString())])]),
    )
    .executeTakeFirst()
}

/** Inserts an artifact or replaces its content; the times of creation and consumption stay. */
export async function putArtifact(db: Db, artifact: NewRow<'core.oauth_artifacts'>): Promise<void> {
  const { id: _id, kind: _kind, created_at: _at, ...changes } = artifact
  await db
    .insertInto('core.oauth_artifacts')
    .values(artifact)
    .onConflict(on => on.column('id').doUpdateSet(changes))
    .execute()
}

/** Inserts an artifact unless it exists. */
export async function addArtifact(db: Db, artifact: NewRow<'core.oauth_artifacts'>): Promise<void> {
  await db
    .insertInto('core.oauth_artifacts')
    .values(artifact)
    .onConflict(on => on.column('id').doNothing())
    .execute()
}

/** @returns false if the artifact was already consumed or does not exist */
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

/** Deletes artifacts and notifies all instances of the users whose credentials were revoked. @returns ids of those users */
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

/** Deletes a connection with its codes and tokens. @returns its display details; undefined if it did not exist */
export async function deleteConnection(
  { db }: WriteContext,
  userId: string,
  id: string,
): Promise<Partial<ConnectionDetails> | undefined> {
  const rows = await db
    .deleteFrom('core.oauth_artifacts')
    .where(({ and }) => and({ connection_id: id, user_id: userId }))
    .returning(['kind', 'payload'])
    .execute()
  const grant = rows.find(row => row.kind === 'Grant')
  return grant && ((grant.payload as { readonly connection?: ConnectionDetails }).connection ?? {})
}

/** Deletes all artifacts of a user: connections, codes, tokens and authorization sessions. @returns the number of connections */
export async function deleteArtifactsOf({ db }: WriteContext, userId: string): Promise<number> {
  const rows = await db.deleteFrom('core.oauth_artifacts').where('user_id', '=', userId).returning('kind').execute()
  return rows.filter(({ kind }) => kind === 'Grant').length
}

/** Display details of a connection, stored in the row of its Grant. */
export type ConnectionDetails = Pick<Connection, 'clientName' | 'verifiedHost' | 'redirectHost' | 'scope' | 'projects'>

/** Lists the live connections of a user, newest first. */
export async function readConnections({ db, now }: ReadContext, userId: string): Promise<readonly Connection[]> {
  const rows = await db
    .selectFrom('core.oauth_artifacts')
    .select(['connection_id as id', 'payload', iso('created_at').as('createdAt'), iso('last_used_at').as('lastUsedAt')])
    .where(({ and }) => and({ user_id: userId, kind: 'Grant' }))
    .where('expires_at', '>', now.toISOString())
    .orderBy('core.oauth_artifacts.created_at', 'desc')
    .orderBy('connection_id', 'desc')
    .execute()
  return rows.flatMap(({ id, payload, ...times }) => {
    const connection = payload.connection as ConnectionDetails | undefined
    // Older connections have no `projects`.
    return connection ? [{ id: id!, ...times, ...connection, projects: connection.projects ?? null }] : []
  })
}

/** Returns whether a user has a connection with a client. */
export async function hasConnection(db: Db, userId: string, clientId: string): Promise<boolean> {
  const row = await db
    .selectFrom('core.oauth_artifacts')
    .select('id')
    .where(({ and }) => and({ user_id: userId, kind: 'Grant' }))
    .where(({ ref }) => ref('payload', '->>').key('clientId'), '=', clientId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Adds the display details of a connection to its grant. */
export async function describeConnection(db: Db, id: string, connection: ConnectionDetails): Promise<void> {
  await db
    .updateTable('core.oauth_artifacts')
    .set({ payload: sql`payload || ${json({ connection })}::jsonb` })
    .where('id', '=', id)
    .execute()
}

/** Removes the expiry of an artifact. */
export async function removeExpiry(db: Db, id: string): Promise<void> {
  await updateWhere(db, 'core.oauth_artifacts', { id }, { expires_at: null })
}

export async function deleteExpiredArtifacts({ db, now }: WriteContext): Promise<void> {
  await db.deleteFrom('core.oauth_artifacts').where('expires_at', '<', now.toISOString()).execute()
}

/** Deletes connections without remaining codes or tokens. @param before only connections created before this time */
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

/** Deletes unapproved registrations, except the newest. */
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
