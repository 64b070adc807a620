import { sql } from 'kysely'
import type { SnapshotTable } from '../db/snapshot.repository.ts'
import type { Db } from '../plugin/context.ts'
import { tableExists } from '../plugin/sql.ts'

/** A table as stored in an archive, without generated columns. */
export interface Table extends SnapshotTable {
  /** JSON columns that are `not null`: a null in them is JSON null, not SQL null. */
  readonly json: readonly string[]
}

/** Finds the tables of the schemas. Leaves out the table of migrations, because the manifest lists them. */
export async function findTables(db: Db, schemas: readonly string[]): Promise<readonly Table[]> {
  const { rows } = await sql<Table>`
    select n.nspname || '.' || c.relname as name,
      json_agg(a.attname order by a.attnum) as columns,
      coalesce(json_agg(a.attname order by array_position(k.indkey::int2[], a.attnum))
        filter (where a.attnum = any (k.indkey)), '[]') as key,
      coalesce(json_agg(a.attname) filter (where a.attnotnull and a.atttypid in ('json'::regtype, 'jsonb'::regtype)), '[]') as json
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      left join pg_index k on k.indrelid = c.oid and k.indisprimary
    where c.relkind in ('r', 'p') and not c.relispartition and n.nspname in (${sql.join(schemas)})
      and (n.nspname, c.relname) <> ('core', 'migrations')
    group by n.nspname, c.relname order by 1
  `.execute(db)
  return rows
}

/** Lists the schemas of the host and of all plugins that ever ran on this database. */
export async function findSchemas(db: Db): Promise<readonly string[]> {
  const rows = await db.selectFrom('core.plugins').select('name').execute()
  return ['core', ...rows.map(({ name }) => name)]
}

/** Inserts rows into a table. @param rows JSON texts, one per line @returns the number of rows */
export async function insertRows(db: Db, { name, columns, json }: Table, rows: string): Promise<number> {
  const notNull = new Set(json)
  const table = sql.table(name)
  const values = columns.map(each => (notNull.has(each) ? sql`coalesce(${sql.ref(each)}, 'null')` : sql.ref(each)))
  const { numAffectedRows } = await sql`
    insert into ${table} (${sql.join(columns.map(each => sql.ref(each)))}) overriding system value
    select ${sql.join(values)} from json_populate_recordset(null::${table}, ${`[${rows.trimEnd().replaceAll('\n', ',')}]`}::json)
  `.execute(db)
  return Number(numAffectedRows)
}

interface ForeignKey {
  readonly table: string
  readonly name: string
  readonly definition: string
}

/** What `liftRules` removed. */
export interface LiftedRules {
  readonly keys: readonly ForeignKey[]
  /** Statements that create the indexes. */
  readonly indexes: readonly string[]
}

/**
 * Drops foreign keys and disables triggers, so that rows can come in any order, and drops indexes, which are built faster from all rows at
 * once.
 * @returns the definitions for `restoreRules`
 */
export async function liftRules(db: Db, schemas: readonly string[]): Promise<LiftedRules> {
  const { rows: keys } = await sql<ForeignKey>`
    select k.conrelid::regclass::text as table, k.conname as name, pg_get_constraintdef(k.oid) as definition
    from pg_constraint k join pg_namespace n on n.oid = k.connamespace
    where k.contype = 'f' and k.conparentid = 0 and n.nspname in (${sql.join(schemas)})
    order by 1, 2
  `.execute(db)
  for (const { table, name } of keys)
    await sql`alter table ${sql.raw(table)} drop constraint ${sql.id(name)}`.execute(db)
  const { rows: indexes } = await sql<{ name: string; definition: string }>`
    select i.oid::regclass::text as name, pg_get_indexdef(i.oid) as definition
    from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class c on c.oid = x.indrelid
      join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in (${sql.join(schemas)}) and c.relkind = 'r' and not c.relispartition and not x.indisprimary
      and not exists (select from pg_constraint k where k.conindid = i.oid)
      and (n.nspname, c.relname) <> ('core', 'migrations')
    order by 1
  `.execute(db)
  if (indexes.length > 0) await sql`drop index ${sql.raw(indexes.map(({ name }) => name).join(', '))}`.execute(db)
  await setTriggers(db, schemas, 'disable')
  return { keys, indexes: indexes.map(({ definition }) => definition) }
}

/** Restores what `liftRules` removed, which checks all rows. Sets each sequence to the greatest value of its column. */
export async function restoreRules(db: Db, schemas: readonly string[], { keys, indexes }: LiftedRules): Promise<void> {
  for (const definition of indexes) await sql.raw(definition).execute(db)
  for (const { table, name, definition } of keys)
    await sql`alter table ${sql.raw(table)} add constraint ${sql.id(name)} ${sql.raw(definition)}`.execute(db)
  await setTriggers(db, schemas, 'enable')
  const { rows: counters } = await sql<{ table: string; column: string; sequence: string }>`
    select c.oid::regclass::text as table, a.attname as column, pg_get_serial_sequence(c.oid::regclass::text, a.attname) as sequence
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind in ('r', 'p') and n.nspname in (${sql.join(schemas)})
      and pg_get_serial_sequence(c.oid::regclass::text, a.attname) is not null
      and c.oid <> to_regclass('core.migrations')
  `.execute(db)
  for (const { table, column, sequence } of counters)
    await sql`select setval(${sequence}, greatest(max(${sql.ref(column)}), 1), max(${sql.ref(column)}) is not null) from ${sql.raw(table)}`.execute(
      db,
    )
  await sql`analyze`.execute(db)
}

async function setTriggers(db: Db, schemas: readonly string[], state: 'enable' | 'disable'): Promise<void> {
  const { rows } = await sql<{ table: string }>`
    select distinct t.tgrelid::regclass::text as table
    from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
    where not t.tgisinternal and n.nspname in (${sql.join(schemas)}) order by 1
  `.execute(db)
  for (const { table } of rows) await sql`alter table ${sql.raw(table)} ${sql.raw(state)} trigger user`.execute(db)
}

/** A job that had not finished. */
export interface WaitingJob {
  readonly name: string
  readonly payload: unknown
  /** ISO 8601 UTC */
  readonly at: string
  readonly key: string | null
}

/** Reads the pending and running jobs from the schema of the queue; none if the queue was never created. */
export async function readWaitingJobs(db: Db, schema: string): Promise<readonly WaitingJob[]> {
  const table = `${schema}.job`
  if (!(await tableExists(db, table))) return []
  const { rows } = await sql<WaitingJob>`
    select name, data as payload, to_char(start_after at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, singleton_key as key
    from ${sql.table(table)} where state in ('created', 'retry', 'active') and name not like '\\_\\_pgboss%' order by start_after, id
  `.execute(db)
  return rows
}
