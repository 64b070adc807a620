import { sql } from 'kysely'
import type { Host } from '../core/host/host.ts'

/** Returns every row of every table as one line of JSON, like a stolen dump. @param except tables to skip */
export async function databaseText(
  { database }: Pick<Host, 'database'>,
  except: readonly string[] = [],
): Promise<string> {
  const { rows } = await sql<{ name: string }>`
    select format('%I.%I', table_schema, table_name) as name from information_schema.tables
    where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'
  `.execute(database.write)
  const texts: string[] = []
  for (const { name } of rows) {
    if (except.includes(name)) continue
    const select = sql<{ text: string }>`select to_jsonb(t)::text as text from ${sql.raw(name)} t order by 1`
    const found = await select.execute(database.write)
    texts.push(...found.rows.map(({ text }) => text))
  }
  return texts.join('\n')
}
