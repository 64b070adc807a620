import { createHash } from 'node:crypto'
import { FIXED_PLAN } from '../plugin/fixed-plan.ts'

/** Whether a statement is planned for its values each time, or once for all values. */
export type Planning = 'custom' | 'generic'

/** A statement that a session knows by name, so that it is parsed once. */
export interface Prepared {
  readonly name: string
  readonly planning: Planning
}

/** Statements of constant text are prepared once per session; text made for one call would only fill the server's memory. */
const KEPT = 500
const USES_BEFORE = 2
const prepared = new Map<string, Prepared>()
const seen = new Map<string, number>()

/** Inserted values leave nothing to plan, unless one is looked up; what is saved are the plans of the foreign key checks behind them. */
const VALUES_ALONE = /^\s*insert into [^()]+ \([^()]*\) values (?![^]*\(select\b)/i

/** @returns what to call a statement with parameters; undefined while it has not been repeated. */
export function prepare(text: string): Prepared | undefined {
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

/** What may undo the setting of how to plan, or leave a session in doubt about it. */
export const ROLLBACK = /^\s*rollback\b/i
