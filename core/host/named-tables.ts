import { findTables } from '../archive/tables.repository.ts'
import type { Db } from '../plugin/context.ts'
import { HostError } from '../plugin/errors.ts'
import { rowsAboutUsers } from '../plugin/host-points.ts'
import { nearest } from '../plugin/nearest.ts'
import type { Registry } from '../runtime/registry/types.ts'

/**
 * Checks the tables and columns that declarations name in texts: a misspelt one would be exported, or not be deleted with its user.
 * @throws HostError that names the plugin
 */
export async function checkNamedTables(db: Db, { plugins, all, addedBy }: Registry): Promise<void> {
  const ofUsers = all(rowsAboutUsers)
  const omitted = plugins.flatMap(({ name, notExported = [] }) => notExported.map(table => ({ name, table })))
  const schemas = [...new Set([...omitted, ...ofUsers].map(({ table }) => table.split('.')[0]!))]
  if (schemas.length === 0) return
  const found = new Map((await findTables(db, schemas)).map(({ name, columns }) => [name, columns]))
  const known = new Set([...found].flatMap(([name, columns]) => [name, ...columns.map(column => `${name}.${column}`)]))
  const listed = new Set(omitted.map(({ table }) => table))
  for (const { name, table } of omitted) {
    const others = [...known].filter(other => other.startsWith(`${name}.`) && !listed.has(other))
    const bare = (qualified: string): string => qualified.slice(name.length + 1)
    // A table may exist on some databases only, as those of extensions.
    const meant = known.has(table) ? null : nearest(bare(table), others.map(bare))
    if (meant !== null) throw new HostError(`plugin ${name}: its notExported names ${table}; write ${name}.${meant}`)
  }
  for (const rows of ofUsers)
    if (!found.get(rows.table)?.includes(rows.column))
      throw new HostError(
        `plugin ${addedBy(rows)}: its rowsAboutUsers names ${rows.table}.${rows.column}, which does not exist; name a table and a column of it`,
      )
}
