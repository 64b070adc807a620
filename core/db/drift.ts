import type { Database } from './database.ts'

/**
 * What would have to change for the tables to agree with the entities of the enabled plugins; empty when they do.
 * Tables of plugins that are off are unknown to the entities and must stay, so drops of tables never count.
 */
export async function pendingSchemaChanges({ orm }: Database): Promise<string[]> {
  const text = await orm.schema.getUpdateSchemaSQL({ wrap: false, dropTables: false, safe: false })
  return text
    .split(/;\s*\n/)
    .map(statement => statement.trim().replace(/;$/, ''))
    .filter(statement => statement !== '' && !/^(set names|create schema)/i.test(statement))
}
