import type { PoolClient } from 'pg'
import { prepare, ROLLBACK, type Planning } from './planning.ts'
import { statementSent } from './statements.ts'

/**
 * Gives repeated statements with parameters a name, so that the server parses each once per connection, and plans those once that one plan
 * serves for all values. A connection must begin with `plan_cache_mode=force_custom_plan`.
 */
export function prepareStatements(client: PoolClient): void {
  const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>
  /** How the session plans now; null where a rollback may have undone it. */
  let planning: Planning | null = 'custom'
  const unsure = (error: unknown): never => {
    planning = null
    throw error
  }
  const planned = (wanted: Planning, statement: object): Promise<unknown> => {
    if (planning === wanted) return query(statement).catch(unsure)
    planning = wanted
    // Where this fails, so does the statement, and its error is the one to tell.
    const set = query(`set plan_cache_mode = force_${wanted}_plan`).catch(() => undefined)
    return set.then(() => query(statement)).catch(unsure)
  }
  const named = (...args: unknown[]): unknown => {
    const [text, values] = args
    if (typeof text !== 'string') return query(...args)
    statementSent(text)
    if (!Array.isArray(values) || values.length === 0) {
      if (ROLLBACK.test(text)) planning = null
      return query(...args)
    }
    const known = prepare(text)
    return known ? planned(known.planning, { text, values, name: known.name }) : planned('custom', { text, values })
  }
  client.query = named as PoolClient['query']
}
