import { sql } from 'kysely'
import type { Db } from '../plugin/context.ts'

/** Bytes from which a table is cut off instead of emptied row by row. */
const LARGE = 1_000_000

/**
 * Deletes all users and their data: the rows of tables with an owner, and of tables that refer to them.
 * Deletes rows instead of truncating: PostgreSQL makes new files for each truncated table and index, which are hundreds.
 */
export async function emptyTables(db: Db): Promise<void> {
  const { rows } = await sql<{ name: string; large: boolean }>`
    with recursive emptied(id) as (
      select 'core.users'::regclass::oid
      union
      select c.oid from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'owner_id' where c.relkind = 'r'
      union
      select f.conrelid from emptied e join pg_constraint f on f.confrelid = e.id and f.contype = 'f'
    )
    select e.id::regclass::text as name, pg_table_size(e.id) > ${LARGE} as large from emptied e`.execute(db)
  const names = rows.map(({ name }) => name)
  if (rows.some(({ large }) => large)) return truncate(db, names)
  try {
    // Neither foreign keys nor triggers are asked: all of it goes, and the audit trail refuses to be emptied.
    const deletes = names.map(name => `delete from ${name};`).join(' ')
    await sql.raw(`do $$ begin set local session_replication_role = replica; ${deletes} end $$`).execute(db)
  } catch (error) {
    if ((error as { code?: unknown }).code !== INSUFFICIENT_PRIVILEGE) throw error
    await truncate(db, names)
  }
}

/** Only a superuser may do without triggers. */
const INSUFFICIENT_PRIVILEGE = '42501'

async function truncate(db: Db, tables: readonly string[]): Promise<void> {
  await sql.raw('alter table core.audit disable trigger user').execute(db)
  await sql.raw(`truncate ${tables.join(', ')} cascade`).execute(db)
  await sql.raw('alter table core.audit enable trigger user').execute(db)
}
