import { Migration } from '@mikro-orm/migrations'
import type { MigrationClass } from './plugin.ts'

/** What belongs to one statement: comments, texts, bodies between dollars, and whatever is no semicolon. */
const STATEMENT = /(?:--[^\n]*|'[^']*'|"[^"]*"|\$(\w*)\$[^]*?\$\1\$|[^;])+/g

/**
 * Makes a migration of statements of SQL, which run in their order. Semicolons end them, as in a file of SQL: not those within comments,
 * texts and bodies of functions.
 */
export function defineMigration(text: string): MigrationClass {
  const statements = (text.match(STATEMENT) ?? []).map(statement => statement.trim()).filter(Boolean)
  return class extends Migration {
    override up(): void {
      for (const statement of statements) this.addSql(statement)
    }
  }
}
