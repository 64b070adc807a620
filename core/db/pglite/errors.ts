import { DatabaseError } from 'pg-protocol'
import { ERROR_FIELDS } from './wire.ts'
import type { ErrorFields, WireError } from './wire.ts'

/** An error of the embedded engine rather than of a statement: a `DatabaseError` plus whether a retry may succeed. */
export type EngineError = DatabaseError & { readonly retryable: boolean }

/** Creates the error that node-postgres would throw. */
export function toDatabaseError({ message, ...fields }: WireError): DatabaseError {
  const error = new DatabaseError(message, message.length, 'error')
  return Object.assign(error, pickFields(fields))
}

export function engineError(code: string, message: string, retryable: boolean): EngineError {
  return Object.assign(toDatabaseError({ message, severity: 'FATAL', code }), { retryable })
}

function pickFields(fields: ErrorFields): ErrorFields {
  return Object.fromEntries(ERROR_FIELDS.map(name => [name, fields[name]]))
}
