import { createHash } from 'node:crypto'
import { FIXED_PLAN } from '../plugin/fixed-plan.ts'

/** Plan mode of a statement: planned for its values each time, or once for all values. */
export type Planning = 'custom' | 'generic'

/** A named statement, which a session parses once. */
export interface Prepared {
  readonly name: string
  readonly planning: Planning
}

/**
 * Limit of prepared statements. A statement is prepared after `USES_BEFORE` uses, because text built per call would only fill the server's
 * memory.
 */
const MAX_PREPARED = 500
const USES_BEFORE = 2
const prepared = new Map<string, Prepared>()
const useCounts = new Map<string, number>()

/** A plain insert of values without a subquery has nothing to plan. A generic plan also saves planning the foreign key checks. */
const VALUES_ALONE = /^\s*insert into [^()]+ \([^()]*\) values (?![^]*\(select\b)/i
/** The same of a recordset, whose text does not depend on the number of rows. */
const RECORDSET_ALONE =
  /^\s*insert into [^()]+ \([^()]*\) select (?:(?! from )[^])* from jsonb_(?:to|populate)_recordset\((?![^]*\b(?:join|select|where)\b)/i

/** Returns the prepared statement for a text with parameters; undefined until the text has been repeated. */
export function prepare(text: string): Prepared | undefined {
  const existing = prepared.get(text)
  if (existing) return existing
  const uses = useCounts.get(text) ?? 0
  const isRecordset = RECORDSET_ALONE.test(text)
  if ((uses < USES_BEFORE && !isRecordset) || prepared.size >= MAX_PREPARED) {
    if (useCounts.size > 5 * MAX_PREPARED) useCounts.clear()
    useCounts.set(text, uses + 1)
    return undefined
  }
  useCounts.delete(text)
  const created: Prepared = {
    name: `t_${createHash('sha256').update(text).digest('base64url').slice(0, 24)}`,
    planning: isRecordset || text.includes(FIXED_PLAN) || VALUES_ALONE.test(text) ? 'generic' : 'custom',
  }
  prepared.set(text, created)
  return created
}

/** A rollback may undo the setting of the plan mode. */
export const ROLLBACK = /^\s*rollback\b/i
