import type { Database } from './database.ts'

/**
 * What would have to change for the tables to agree with the entities of the enabled plugins; empty when they do.
 * What is not theirs stays out of it: the tables of plugins that are off, and those of the job queue.
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
