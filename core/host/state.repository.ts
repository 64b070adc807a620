import { sql } from 'kysely'
import type { ReadContext } from '../plugin/context.ts'
import type { ServiceState } from '../plugin/administration.ts'

type DatabaseState = Pick<ServiceState, 'database' | 'databaseBytes' | 'storage' | 'answeredIn'>

/** Reads version, size and response time of the database, and bytes by schema, largest first. */
export async function readDatabaseState({ db }: ReadContext): Promise<DatabaseState> {
  const { rows } = await sql<{ schema: string; bytes: number }>`
    select n.nspname as schema, sum(pg_total_relation_size(c.oid))::float8 as bytes
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'm') and n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'
    group by 1 order by 2 desc, 1`.execute(db)
  const began = performance.now()
  const whole = await sql<{ version: string; bytes: number }>`
    select current_setting('server_version') as version, pg_database_size(current_database())::float8 as bytes`.execute(
    db,
  )
  const answeredIn = Math.round(performance.now() - began)
  return { database: whole.rows[0]!.version, databaseBytes: whole.rows[0]!.bytes, storage: rows, answeredIn }
}
