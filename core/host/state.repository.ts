import { sql } from 'kysely'
import type { ReadContext } from '../plugin/context.ts'
import type { ServiceState } from '../plugin/administration.ts'

/** Version of the database and bytes by schema, largest first. */
export async function readDatabaseState({ db }: ReadContext): Promise<Pick<ServiceState, 'database' | 'storage'>> {
  const { rows } = await sql<{ schema: string; bytes: number }>`
    select n.nspname as schema, sum(pg_total_relation_size(c.oid))::float8 as bytes
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'm') and n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'
    group by 1 order by 2 desc, 1`.execute(db)
  const version = await sql<{ version: string }>`select current_setting('server_version') as version`.execute(db)
  return { database: version.rows[0]!.version, storage: rows }
}
