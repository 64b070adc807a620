import { sql, type RawBuilder } from 'kysely'
import { setForTransaction } from '../db/settings.ts'
import type { Db, WriteContext } from '../plugin/context.ts'
import type { Condition } from '../plugin/sql.ts'
import { json } from '../plugin/tables.ts'
import type { User } from '../plugin/users.ts'

/** A table with rows of a user, and the condition that selects them. */
export interface UserRows {
  readonly schema: string
  readonly table: string
  readonly where: Condition
}

/** Row counts by table, for example `{ 'items.items': 12 }`. */
export type RowCounts = Readonly<Record<string, number>>

/**
 * Finds the tables with a column `owner_id`, or else `user_id`: their rows belong to that user. Includes tables of disabled plugins, but
 * not the audit trail.
 */
export async function findOwnedTables(
  db: Db,
): Promise<readonly { readonly schema: string; readonly table: string; readonly column: 'owner_id' | 'user_id' }[]> {
  const { rows } = await sql<{ schema: string; table: string; column: 'owner_id' | 'user_id' }>`
    select c.table_schema as schema, c.table_name as table, min(c.column_name)::text as column
    from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where t.table_type = 'BASE TABLE' and c.column_name in ('owner_id', 'user_id')
      and c.table_schema not in ('pg_catalog', 'information_schema') and (c.table_schema, c.table_name) <> ('core', 'audit')
    group by 1, 2 order by 1, 2
  `.execute(db)
  return rows
}

/** Selects the rows of core tables that refer to a credential of the user instead of the user. */
export function rowsOfCredentials({ id }: Pick<User, 'id'>): readonly UserRows[] {
  const where = belongsToUser(id)
  return ['confirmations', 'idempotency_keys'].map(table => ({ schema: 'core', table, where }))
}

const belongsToUser = (userId: string) =>
  sql<boolean>`credential_id in (select id from core.tokens where user_id = ${userId}
    union select connection_id from core.oauth_artifacts where user_id = ${userId} and connection_id is not null)`

/** Replaces stored results by a value that cannot be decrypted, so that their keys stay used. */
export async function invalidateStoredResults({ db }: WriteContext, userId: string): Promise<void> {
  await db
    .updateTable('core.idempotency_keys')
    .set({ result: json('forgotten') })
    .where('result', 'is not', null)
    .where(belongsToUser(userId))
    .execute()
}

/** Counts the rows of all tables in one statement; omits tables without matches. */
export async function countRows(db: Db, tables: readonly UserRows[]): Promise<RowCounts> {
  const counts = tables.map(
    ({ schema, table, where }) =>
      sql`select ${`${schema}.${table}`}::text as name, count(*)::int as rows from ${sql.id(schema, table)} where ${where}`,
  )
  return toCounts(sql.join(counts, sql.raw(' union all ')), db)
}

/**
 * Deletes the rows of all tables and the user in one statement, so that foreign keys between them are checked at the end.
 * @returns the counts, as `countRows` does
 */
export async function deleteRows(db: Db, tables: readonly UserRows[]): Promise<RowCounts> {
  // The statement timeout is meant for calls; the data of an account may be large.
  await setForTransaction(db, 'statement_timeout', '0')
  const deletions = tables.map(
    ({ schema, table, where }, n) =>
      sql`${sql.raw(`d${n}`)} as (delete from ${sql.id(schema, table)} where ${where} returning 1)`,
  )
  const counts = tables.map(
    ({ schema, table }, n) =>
      sql`select ${`${schema}.${table}`}::text as name, count(*)::int as rows from ${sql.raw(`d${n}`)}`,
  )
  return toCounts(sql`with ${sql.join(deletions)} ${sql.join(counts, sql.raw(' union all '))}`, db)
}

async function toCounts(
  query: RawBuilder<{ readonly name: string; readonly rows: number }>,
  db: Db,
): Promise<RowCounts> {
  const { rows } = await query.execute(db)
  const found = rows.filter(({ rows: count }) => count > 0).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return Object.fromEntries(found.map(({ name, rows: count }) => [name, count]))
}

/** Returns whether other users exist. */
export async function hasOtherUsers({ db }: Pick<WriteContext, 'db'>, id: string): Promise<boolean> {
  return (
    (await db.selectFrom('core.users').select('id').where('id', '<>', id).limit(1).executeTakeFirst()) !== undefined
  )
}

/** Removes what identifies a user from the audit trail: names, addresses and details. Ids, actions and times stay. */
export async function eraseFromAudit({ db }: WriteContext, { id, email }: User): Promise<void> {
  await setForTransaction(db, 'tasuki.audit_erasure', 'on')
  await sql`
    update core.audit set
      credential = case when owner_id = ${id} or actor_id = ${id} then null else credential end,
      address = case when owner_id = ${id} or actor_id = ${id} then null else address end,
      target = case when owner_id = ${id} or target_id = ${id} or lower(target) = ${email} then null else target end,
      details = case when owner_id = ${id} or strpos(lower(details::text), ${email}) > 0 then '{}'::jsonb else details end
    where owner_id = ${id} or actor_id = ${id} or target_id = ${id} or lower(target) = ${email}
      or strpos(lower(details::text), ${email}) > 0
  `.execute(db)
  await setForTransaction(db, 'tasuki.audit_erasure', 'off')
}
