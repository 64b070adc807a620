import { sql } from 'kysely'
import type { Db } from '../../plugin/context.ts'

/** Counts the rows of each table in a schema. */
export async function countRows(db: Db, schema: string): Promise<{ name: string; rows: number }[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${schema} and c.relkind in ('r', 'p') order by c.relname
  `.execute(db)
  const counts = []
  for (const { name } of tables) {
    const { rows } = await sql<{ rows: number }>`select count(*)::int as rows from ${sql.id(schema, name)}`.execute(db)
    counts.push({ name, rows: rows[0]!.rows })
  }
  return counts
}

/** Finds schemas with foreign keys to this one, because dropping it would break those references. */
export async function findReferrers(db: Db, schema: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct theirs.nspname as name
    from pg_constraint k
      join pg_class c on c.oid = k.conrelid join pg_namespace theirs on theirs.oid = c.relnamespace
      join pg_class f on f.oid = k.confrelid join pg_namespace ours on ours.oid = f.relnamespace
    where k.contype = 'f' and ours.nspname = ${schema} and theirs.nspname <> ${schema} order by 1
  `.execute(db)
  return rows.map(row => row.name)
}

/** Drops the schema of a plugin and deletes the records of its migrations. */
export async function dropSchema(db: Db, plugin: string): Promise<void> {
  await sql`drop schema if exists ${sql.id(plugin)} cascade`.execute(db)
  await sql`delete from core.migrations where split_part(name, '/', 1) = ${plugin}`.execute(db)
}
