import { causesOf, isUnavailable } from '../db/failure.ts'
import { fileProblem } from '../db/file-problem.ts'
import { reasonOf } from '../host/external-services.ts'
import { errorBody, HostError, ToolError } from '../plugin/errors.ts'
import { replaceInvisible } from '../plugin/quote-name.ts'
import { UsageError } from './usage-error.ts'

/** Formats an error for the command line; only unexpected errors include the stack. */
export function formatError(error: unknown): string {
  if (error instanceof HostError || error instanceof UsageError) return error.message
  if (error instanceof ToolError) {
    const { message, hint, allowed } = errorBody(error)
    // The values that are allowed are often names of users.
    return replaceInvisible([message, allowed && `Allowed: ${allowed.join(', ')}.`, hint].filter(Boolean).join(' '))
  }
  return outageProblem(error) ?? folderProblem(error) ?? (error as Error).stack ?? String(error)
}

/** Returns which server failed, and how; null if the error has another cause. */
export function outageProblem(error: unknown): string | null {
  const known = databaseProblem(error)
  if (known !== null || !isUnavailable(error) || fileProblem(error) !== null) return known
  return [...new Set([(error as Error).message, reasonOf(error)])].join(': ')
}

/** Returns why files cannot be written, or null if the error has another cause. */
export function folderProblem(error: unknown): string | null {
  const problem = fileProblem(error)
  const { dest, path } = error as NodeJS.ErrnoException & { readonly dest?: string }
  return problem && `${dest ?? path ?? 'a file of the service'} cannot be written: ${problem}`
}

const SILENT = 'the server does not answer'
const CLOSED = 'the server, or a proxy before it, closed the connection; its log says why'
const UNKNOWN_ISSUER =
  'the issuer of its certificate is unknown; add sslrootcert=<file with the certificate of the issuer> to the address'

/** Problems of DATABASE_URL or its server, by SQLSTATE, socket error, or message of an error without a code. */
const DATABASE_PROBLEMS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no PostgreSQL listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the host name cannot be resolved now',
  ETIMEDOUT: SILENT,
  ECONNRESET: CLOSED,
  '08007':
    'the connection was lost while it saved, so the change may be there or not: look before you run the command again',
  '28P01': 'the password is wrong',
  '28000': 'the server does not let this user in',
  '3D000': 'there is no such database; create it with encoding UTF8',
  '42501': 'the user lacks a privilege there: it must own the database, or at least be allowed to create schemas',
  '53300': 'the server has no connection left: raise max_connections there, or lower pool_size',
  '57P01': 'the server is stopping, or its administrator ended the connection',
  '57P03': 'the server is starting or stopping',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_ISSUER,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_ISSUER,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_ISSUER,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_ISSUER,
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  'Connection terminated unexpectedly': CLOSED,
  'Connection terminated due to connection timeout': SILENT,
  'The server does not support SSL connections': 'turn on ssl there, or remove sslmode from the address',
  'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string': 'the address lacks the password',
}

/** Returns why a database cannot be used, or null if the error has another cause, such as another server. */
export function databaseProblem(error: unknown): string | null {
  const causes = causesOf(error) as readonly Partial<AggregateError & { code: unknown; databaseVariable: string }>[]
  const variable = causes.find(({ databaseVariable }) => databaseVariable !== undefined)?.databaseVariable
  if (variable === undefined) return null
  for (const { code, message, errors = [] } of causes) {
    // A host name with several addresses fails with one error per address.
    for (const causeCode of [code, message, ...errors.map((inner: { readonly code?: unknown }) => inner.code)]) {
      const problem = typeof causeCode === 'string' ? DATABASE_PROBLEMS[causeCode] : undefined
      if (problem !== undefined) return `the database of ${variable} cannot be used: ${problem} (${String(causeCode)})`
    }
  }
  return null
}
