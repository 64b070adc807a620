import { DatabaseError } from 'pg-protocol'
import type { WireError } from './wire.ts'

/** An error of the embedded engine rather than of a statement: a `DatabaseError` plus whether a retry may succeed. */
export type EngineError = DatabaseError & { readonly retryable: boolean }

/** Creates the error that node-postgres would throw. */
export function toDatabaseError({ message, ...fields }: WireError): DatabaseError {
  return Object.assign(new DatabaseError(message, message.length, 'error'), fields)
}

export function engineError(code: string, message: string, retryable: boolean): EngineError {
  return Object.assign(toDatabaseError({ message, severity: 'FATAL', code }), { retryable })
}
