import { iso } from '../plugin/sql.ts'
import type { Db, ReadContext, WriteContext } from '../plugin/context.ts'
import { recordset } from '../plugin/recordset.ts'
import type { NewRow, Row } from '../plugin/tables.ts'
import type { IssuedToken } from '../plugin/users.ts'

export async function insertToken({ db }: WriteContext, token: NewRow<'core.tokens'>): Promise<void> {
  await db.insertInto('core.tokens').values(token).execute()
}

/** Counts the unrevoked tokens of a user, including expired ones, which the user still sees. */
export async function countTokens({ db }: ReadContext, userId: string): Promise<number> {
  const row = await db
    .selectFrom('core.tokens')
    .select(({ fn, cast }) => cast<number>(fn.countAll(), 'integer').as('count'))
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow()
  return row.count
}

/** Revokes the live tokens with an id, of a user, or both. */
export function revokeStoredTokens(
  { db, now }: WriteContext,
  match: Partial<Pick<Row<'core.tokens'>, 'id' | 'user_id'>>,
): Promise<readonly Pick<Row<'core.tokens'>, 'id' | 'name' | 'user_id'>[]> {
  return db
    .updateTable('core.tokens')
    .set({ revoked_at: now })
    .where(({ and }) => and(match))
    .where('revoked_at', 'is', null)
    .returning(['id', 'name', 'user_id'])
    .execute()
}

/** Lists tokens, newest first; only those of one user if an e-mail address is given. */
export async function listTokens({ db }: ReadContext, email: string | undefined) {
  const rows = await db
    .selectFrom('core.tokens as t')
    .innerJoin('core.users as u', 'u.id', 't.user_id')
    .select([
      't.id',
      'u.email as user',
      't.name',
      't.scope',
      't.hint',
      iso('t.created_at').as('created_at'),
      iso('t.expires_at').as('expires_at'),
      iso('t.last_used_at').as('last_used_at'),
      iso('t.revoked_at').as('revoked_at'),
    ])
    .$if(email !== undefined, query => query.where('u.email', '=', email!.trim().toLowerCase()))
    .orderBy('t.created_at', 'desc')
    .orderBy('t.id', 'desc')
    .execute()
  return rows.map(row => ({ ...row, hint: `…${row.hint}` }))
}

/** Lists the unrevoked tokens of a user, newest first. */
export function listTokensOf({ db }: ReadContext, userId: string): Promise<readonly IssuedToken[]> {
  return db
    .selectFrom('core.tokens')
    .select([
      'id',
      'name',
      'scope',
      'hint',
      'projects',
      iso('created_at').as('createdAt'),
      iso('expires_at').as('expiresAt'),
      iso('last_used_at').as('lastUsedAt'),
    ])
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .orderBy('core.tokens.created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

/** Time of the last use of a token or connection. */
export interface TokenUse {
  readonly id: string
  readonly at: Date
}

/** Stores the latest use of tokens and connections, with two statements. */
export async function storeTokenUses(db: Db, uses: readonly TokenUse[]): Promise<void> {
  const used = recordset('u', { id: 'uuid', at: 'timestamptz' }, uses)
  await db
    .updateTable('core.tokens as t')
    .from(used)
    .set(({ fn }) => ({ last_used_at: fn<string>('greatest', ['t.last_used_at', 'u.at']) }))
    .whereRef('t.id', '=', 'u.id')
    .execute()
  await db
    .updateTable('core.oauth_artifacts as c')
    .from(used)
    .set(({ fn }) => ({ last_used_at: fn<string>('greatest', ['c.last_used_at', 'u.at']) }))
    .whereRef('c.connection_id', '=', 'u.id')
    .where('c.kind', '=', 'Grant')
    .execute()
}
