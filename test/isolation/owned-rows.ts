import { sql } from 'kysely'
import type { TestHost } from 'tasuki/testing'

/** Tables that background jobs write, so no call is responsible for their changes. */
const BY_JOBS = /^(search|conversations|summaries|core)\./

async function tables(host: TestHost): Promise<readonly string[]> {
  const rows = await host.sql<{ name: string }>`
    select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'owner_id' where c.relkind = 'r' order by 1`
  return rows.map(({ name }) => name).filter(name => !BY_JOBS.test(name))
}

/** Reads all rows of the owner, by table. @param ids only rows that contain one of these ids */
export async function rowsOf(host: TestHost, ids: readonly string[] = []): Promise<readonly string[]> {
  // An actor may change the parents of visible items, so only the row of an item itself counts.
  const about = (table: string): string =>
    ids.length === 0 ? 'true' : `${table === 'items.items' ? 't.id' : 't'}::text ~ '${ids.join('|')}'`
  const found: string[] = []
  for (const table of await tables(host)) {
    const { rows } = await sql<{ text: string }>`
      select t::text as text from ${sql.raw(`${table} t where t.owner_id = '${host.userId}' and ${about(table)} order by 1`)}
    `.execute(host.database.write)
    found.push(...rows.map(({ text }) => `${table} ${text}`))
  }
  return found
}
