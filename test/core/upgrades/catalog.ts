import { sql } from 'kysely'
import type { Db } from 'tasuki/plugin'

/** Database objects on which older versions depend, by name. */
export interface Catalog {
  readonly tables: ReadonlySet<string>
  readonly columns: ReadonlyMap<string, Column>
  /** Rules that can refuse rows: constraints, unique indexes and triggers, with their definitions. */
  readonly rules: ReadonlyMap<string, Rule>
}
interface Column {
  readonly table: string
  readonly type: string
  readonly required: boolean
}
interface Rule {
  readonly table: string
  readonly definition: string
}

/** Reads the catalog of the tables in these schemas. */
export async function readCatalog(db: Db): Promise<Catalog> {
  const outside = sql`n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast', 'public', 'core_jobs')
    and (n.nspname, c.relname) <> ('core', 'migrations')`
  const { rows: columns } = await sql<Column & { name: string | null }>`
    select n.nspname || '.' || c.relname as table, n.nspname || '.' || c.relname || '.' || a.attname as name,
      format_type(a.atttypid, a.atttypmod) as type, a.attnotnull and not a.atthasdef and a.attidentity = '' as required
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
      left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind in ('r', 'p') and ${outside}`.execute(db)
  const { rows: rules } = await sql<Rule & { name: string }>`
    select table_name as table, table_name || ' ' || rule as name, definition from (
      select n.nspname || '.' || c.relname as table_name, k.conname as rule, pg_get_constraintdef(k.oid) as definition
      from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
      where ${outside} and k.contype <> 'n'
      union all
      select n.nspname || '.' || c.relname, i.relname, pg_get_indexdef(i.oid)
      from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class c on c.oid = x.indrelid
        join pg_namespace n on n.oid = c.relnamespace
      where x.indisunique and ${outside}
      union all
      select n.nspname || '.' || c.relname, t.tgname, pg_get_triggerdef(t.oid)
      from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
      where not t.tgisinternal and ${outside}) as found`.execute(db)
  return {
    tables: new Set(columns.map(({ table }) => table)),
    columns: new Map(columns.flatMap(({ name, ...column }) => (name === null ? [] : [[name, column] as const]))),
    rules: new Map(rules.map(({ name, ...rule }) => [name, rule])),
  }
}

/** Lists the differences between two catalogs that can break older versions; empty if the change only adds objects. */
export function findBreaks(before: Catalog, after: Catalog): readonly string[] {
  const breaks: string[] = []
  const isOld = (table: string): boolean => before.tables.has(table) && after.tables.has(table)
  for (const table of before.tables) if (!after.tables.has(table)) breaks.push(`table ${table} is gone or renamed`)
  for (const [name, { table, type, required }] of before.columns) {
    const now = after.columns.get(name)
    if (!isOld(table)) continue
    if (!now) breaks.push(`column ${name} is gone or renamed`)
    else if (now.type !== type) breaks.push(`column ${name} was ${type} and is ${now.type}`)
    else if (now.required && !required) breaks.push(`column ${name} has to be given now`)
  }
  for (const [name, { table, required }] of after.columns)
    if (isOld(table) && required && !before.columns.has(name))
      breaks.push(`new column ${name} has to be given, and older programs do not give it`)
  for (const [name, { table, definition }] of before.rules) {
    const now = after.rules.get(name)
    if (!isOld(table)) continue
    if (!now) breaks.push(`${name} is gone, which "on conflict" may need`)
    else if (now.definition !== definition) breaks.push(`${name} was changed`)
  }
  for (const [name, { table }] of after.rules)
    if (isOld(table) && !before.rules.has(name)) breaks.push(`${name} is new and may refuse what older programs write`)
  return breaks
}
