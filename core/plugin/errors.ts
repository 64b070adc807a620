import { clip } from './clip.ts'

/** Error codes of tool calls; a closed list that clients may switch on. */
export const ERROR_CODES = [
  'invalid_argument',
  'missing_argument',
  'unknown_argument',
  'invalid_query',
  'not_found',
  'ambiguous_ref',
  'forbidden',
  'insufficient_scope',
  'feature_disabled',
  'conflict',
  'stale_write',
  'cycle',
  'limit_exceeded',
  'workflow_mismatch',
  'transition_not_allowed',
  'frozen',
  'has_children',
  'in_use',
  'not_user_owned',
  'sprint_closed',
  'area_archived',
  'quota_exceeded',
  'unsupported_media_type',
  'confirmation_required',
  'confirmation_invalid',
  'idempotency_conflict',
  'rate_limited',
  'unavailable',
  'internal',
] as const
export type ErrorCode = (typeof ERROR_CODES)[number]

/** Details of an error that help the caller fix the call. */
export interface ErrorHelp {
  /** The invalid parameter. */
  readonly field?: string
  /** What to do next, in one sentence. */
  readonly hint?: string
  /** Accepted values; at most 20 are sent. */
  readonly allowed?: readonly string[]
  /** True if the same call may succeed later. */
  readonly retryable?: boolean
  readonly details?: Readonly<Record<string, unknown>>
}

/** An error that the caller can act on; it becomes an `isError` result. Any other error is a bug and is answered as `internal`. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
  readonly code: ErrorCode
  readonly help: ErrorHelp
  /** Further problems of the same call. */
  readonly others: readonly ToolError[]
  constructor(code: ErrorCode, message: string, help: ErrorHelp = {}, others: readonly ToolError[] = []) {
    super(message)
    this.code = code
    this.help = help
    this.others = others
  }
}

/** Throws all problems of a call as one error; does nothing if there are none. */
export function throwAll(problems: readonly ToolError[]): void {
  const [first, ...others] = problems
  if (first) throw others.length === 0 ? first : new ToolError(first.code, first.message, first.help, others)
}

/** An error in the response. */
export interface ErrorBody {
  readonly code: ErrorCode
  readonly message: string
  readonly field?: string
  readonly hint?: string
  readonly allowed?: readonly string[]
  readonly retryable: boolean
  readonly details?: Readonly<Record<string, unknown>>
}

/** Error messages quote input of the caller, so their length is limited. */
const MAX_CHARACTERS = 2000
const FIELD_CHARACTERS = 300

/** Serializes an error; further problems of the call become `details.problems`. */
export function errorBody(error: ToolError): ErrorBody {
  const { field, hint, allowed, retryable, details } = error.help
  const problems = error.others.map(errorBody)
  const more = problems.length > 0 ? { ...details, problems } : details
  return {
    code: error.code,
    message: clip(error.message, MAX_CHARACTERS),
    ...(field !== undefined && { field: clip(field, FIELD_CHARACTERS) }),
    ...(hint !== undefined && { hint: clip(hint, MAX_CHARACTERS) }),
    ...(allowed !== undefined && { allowed: allowed.slice(0, 20).map(name => clip(name, FIELD_CHARACTERS)) }),
    retryable: retryable ?? false,
    ...(more !== undefined && { details: more }),
  }
}

/** An error in the deployment or the set of plugins. It stops the boot and names the plugin, the problem and the fix. */
export class HostError extends Error {
  override readonly name = 'HostError'
}

/** Returns an error that begins with what failed; a HostError says it already. */
export function asHostError(what: string, error: unknown): HostError {
  if (error instanceof HostError) return error
  return new HostError(`${what}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
}

/** Returns the error of a call that changes nothing. @param hint names the parameters that change something */
export function nothingToChange(hint: string): ToolError {
  return new ToolError('missing_argument', 'Nothing to change was given.', { hint })
}

/** Creates the error for an owner who has reached a limit. @param what in the plural */
export function limitReached(most: number, what: string, help: ErrorHelp): ToolError {
  const message = `There are ${most} ${what} of this owner, which is the limit.`
  return new ToolError('limit_exceeded', message, { ...help, details: { limit: most } })
}
