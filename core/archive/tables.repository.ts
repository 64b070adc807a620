import { sql } from 'kysely'
import type { Db } from '../plugin/context.ts'
import { noSql, tableExists, type Condition } from '../plugin/sql.ts'

/** A table as an archive has it. */
export interface Table {
  /** `schema.table` */
  readonly name: string
  /** Without those that the database computes. */
  readonly columns: readonly string[]
  /** Of the primary key. */
  readonly key: readonly string[]
  /** Columns of JSON that are never null: their null is the one of JSON. */
  readonly json: readonly string[]
}

/** Finds the tables of schemas; that of the migrations, which an archive tells otherwise, is left out. */
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

/** The schemas of the host and of all plugins that ever ran here. */
export async function findSchemas(db: Db): Promise<readonly string[]> {
  const rows = await db.selectFrom('core.plugins').select('name').execute()
  return ['core', ...rows.map(({ name }) => name)]
}

/** Rows of the first fetch; the next ones take about `FETCHED_BYTES`. */
const FIRST_ROWS = 50
const MOST_ROWS = 2000
const FETCHED_BYTES = 1_000_000

/** Reads a table in the order of its key as JSON texts, some at a time, inside a transaction. */
export async function* readRows(
  db: Db,
  { name, columns, key }: Table,
  where: Condition = sql.lit(true),
): AsyncGenerator<readonly string[]> {
  const order = key.length === 0 ? noSql : sql`order by ${sql.join(key.map(each => sql.ref(each)))}`
  await sql`
    declare archived no scroll cursor for
    select row_to_json(r)::text as row from (
      select ${sql.join(columns.map(each => sql.ref(each)))} from ${sql.table(name)} where ${where} ${order}) r
  `.execute(db)
  for (let count = FIRST_ROWS; ;) {
    const { rows } = await sql<{ row: string }>`fetch forward ${sql.lit(count)} from archived`.execute(db)
    const texts = rows.map(({ row }) => row)
    if (texts.length > 0) yield texts
    if (texts.length < count) break
    const average = texts.reduce((sum, text) => sum + text.length, 0) / texts.length
    count = Math.max(1, Math.min(MOST_ROWS, Math.floor(FETCHED_BYTES / average)))
  }
  await sql`close archived`.execute(db)
}

/** Adds rows to a table. @param rows JSON texts, one a line @returns how many */
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

/** What `liftRules` took off. */
export interface LiftedRules {
  readonly keys: readonly ForeignKey[]
  /** Statements that make indexes. */
  readonly indexes: readonly string[]
}

/**
 * Takes off what would refuse rows that come in any order, or act on them, and the indexes that are made faster from all rows at once.
 * @returns what `restoreRules` puts back
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

/** Puts back what `liftRules` took off, which checks all rows, and lets counters go on after the greatest number. */
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

/** A job that waited to be run. */
export interface WaitingJob {
  readonly name: string
  readonly payload: unknown
  /** ISO 8601 UTC */
  readonly at: string
  readonly key: string | null
}

/** Jobs that wait or were under way, of the schema of the queue; none where it was never made. */
export async function readWaitingJobs(db: Db, schema: string): Promise<readonly WaitingJob[]> {
  const table = `${schema}.job`
  if (!(await tableExists(db, table))) return []
  const { rows } = await sql<WaitingJob>`
    select name, data as payload, to_char(start_after at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, singleton_key as key
    from ${sql.table(table)} where state in ('created', 'retry', 'active') and name not like '\\_\\_pgboss%' order by start_after, id
  `.execute(db)
  return rows
}
