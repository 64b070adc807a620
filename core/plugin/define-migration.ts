import { Migration } from '@mikro-orm/migrations'
import type { MigrationClass } from './plugin.ts'

/** Matches one SQL statement: semicolons inside comments, quotes and dollar-quoted bodies do not end it. */
const STATEMENT = /(?:--[^\n]*|\/\*[^]*?\*\/|'[^']*'|"[^"]*"|\$(\w*)\$[^]*?\$\1\$|[^;])+/g

/**
 * Creates a migration from SQL statements, which run in order. Statements end with a semicolon, as in an SQL file; semicolons inside
 * comments, quotes and function bodies do not count.
 */
export function defineMigration(text: string): MigrationClass {
  const statements = (text.match(STATEMENT) ?? []).map(statement => statement.trim()).filter(Boolean)
  return class extends Migration {
    override up(): void {
      for (const statement of statements) this.addSql(statement)
    }
  }
}
