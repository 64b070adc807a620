import { sql, type RawBuilder } from 'kysely'

/** Turns a timestamptz column into ISO 8601 UTC text with milliseconds and `Z`, the same on both engines; null stays null. */
export function iso(column: string): RawBuilder<string> {
  return sql<string>`to_char(${sql.ref(column)} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

/** Pattern for LIKE that finds the text itself anywhere. */
export function contains(text: string): string {
  return `%${text.replace(/[\\%_]/g, match => `\\${match}`)}%`
}
