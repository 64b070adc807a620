import type { Database } from './database.ts'

/**
 * Lists the statements that would make the tables match the entities of the enabled plugins; empty if they match.
 * Ignores tables of disabled plugins and of the job queue.
 */
export async function pendingSchemaChanges(database: Pick<Database, 'orm'>): Promise<string[]> {
  const orm = await database.orm()
  const text = await orm.schema.getUpdateSchemaSQL({ wrap: false, dropTables: false, safe: false })
  const schemas = new Set([...orm.getMetadata().getAll().values()].map(entity => entity.schema))
  return text
    .split(/;\s*\n/)
    .map(statement => statement.trim().replace(/;$/, ''))
    .filter(statement => statement !== '' && !/^(set names|create schema)/i.test(statement))
    .filter(statement => {
      const schema = /"([^"]+)"\."/.exec(statement)?.[1]
      return schema === undefined || schemas.has(schema)
    })
}
