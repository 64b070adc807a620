import { createHash } from 'node:crypto'
import type { PoolClient } from 'pg'
import { FIXED_PLAN } from '../plugin/sql.ts'
import { statementSent } from './statements.ts'

/** Whether a statement is planned for its values each time, or once for all values. */
type Planning = 'custom' | 'generic'

interface Prepared {
  readonly name: string
  readonly planning: Planning
}

/** Statements of constant text are prepared once per connection; text made for one call would only fill the server's memory. */
const KEPT = 500
const USES_BEFORE = 2
const prepared = new Map<string, Prepared>()
const seen = new Map<string, number>()

/** Inserted values leave nothing to plan; what is saved are the plans of the foreign key checks behind them. */
const VALUES_ALONE = /^\s*insert into [^()]+ \([^()]*\) values /i
const ROLLBACK = /^\s*rollback\b/i

function prepare(text: string): Prepared | undefined {
  const known = prepared.get(text)
  if (known) return known
  const uses = seen.get(text) ?? 0
  if (uses < USES_BEFORE || prepared.size >= KEPT) {
    if (seen.size > 5 * KEPT) seen.clear()
    seen.set(text, uses + 1)
    return undefined
  }
  seen.delete(text)
  const made: Prepared = {
    name: `t_${createHash('sha256').update(text).digest('base64url').slice(0, 24)}`,
    planning: text.includes(FIXED_PLAN) || VALUES_ALONE.test(text) ? 'generic' : 'custom',
  }
  prepared.set(text, made)
  return made
}

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
