import { sql } from 'kysely'
import type { Host } from '../core/host/host.ts'

/** Returns every row of every table as one line of JSON, like a stolen dump. @param except a table to skip */
export async function databaseText({ database }: Pick<Host, 'database'>, except?: string): Promise<string> {
  const { rows } = await sql<{ name: string }>`
    select format('%I.%I', table_schema, table_name) as name from information_schema.tables
    where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'
  `.execute(database.write)
  const texts: string[] = []
  for (const { name } of rows) {
    if (name === except) continue
    const found = await sql<{ text: string }>`select to_jsonb(t)::text as text from ${sql.raw(name)} t`.execute(
      database.write,
    )
    texts.push(...found.rows.map(({ text }) => text))
  }
  return texts.join('\n')
}
