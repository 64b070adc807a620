import { isOperationNodeSource, sql, type Expression, type RawBuilder } from 'kysely'
import { ToolError } from './errors.ts'
import { noSql } from './sql.ts'

/** The plugin of each contribution that is an object or a function. */
export const contributors = new WeakMap<object, string>()

/**
 * Builds the SQL of a contribution to a point, so that the log names its plugin if the function throws or the database refuses the SQL.
 * Comments around the SQL name the plugin: the text of a statement is all that the driver has.
 */
export function contributedSql<T>(contribution: object, build: () => Expression<T>): RawBuilder<T> {
  const plugin = contributors.get(contribution)
  try {
    const built = build()
    if (!isOperationNodeSource(built)) throw new TypeError(`SQL that a plugin adds is ${String(built)}`)
    const parts = plugin === undefined ? [built] : [sql.raw(`/*${plugin}*/`), built, sql.raw('/**/')]
    return sql.join<T>(parts, noSql)
  } catch (error) {
    throw namePlugin(error, plugin)
  }
}

/** Adds the plugin that added the part of a statement at which the database found a fault. @param position in the text, from 1 */
export function nameRefusedPlugin(error: object, text: string, position: number): void {
  const open: string[] = []
  for (const [, plugin] of text.slice(0, position).matchAll(/\/\*(\w*)\*\//g)) {
    if (plugin) open.push(plugin)
    else open.pop()
  }
  namePlugin(error, open.at(-1))
}

/** The innermost plugin is kept, because SQL that a plugin adds may contain what others add to it. */
function namePlugin(error: unknown, plugin: string | undefined): unknown {
  if (plugin === undefined || !(error instanceof Error) || error instanceof ToolError || 'plugin' in error) return error
  return Object.assign(error, { plugin })
}
