import { prepare } from '../planning.ts'
import { encodeParams } from '../values.ts'
import type { Session } from './session.ts'
import type { RawResult, Statement } from './wire.ts'

export function buildStatement(sql: string, inTransaction: boolean, params: readonly unknown[] = []): Statement {
  if (params.length === 0) return { sql, params: null, prepared: null, inTransaction }
  return { sql, params: encodeParams(params), prepared: prepare(sql) ?? null, inTransaction }
}

/** Runs a statement of the service itself, without parameters and time limit. */
export function runCommand(
  session: Session,
  sql: string,
  { inTransaction = false } = {},
): Promise<readonly RawResult[]> {
  return session.run(buildStatement(sql, inTransaction), null)
}
