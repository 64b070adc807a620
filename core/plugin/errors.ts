import { clip } from './clip.ts'

/** Every code a tool call can fail with; a closed list that clients may switch on. */
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

/** What helps the caller mend the call, beyond code and message. */
export interface ErrorHelp {
  /** The parameter at fault. */
  readonly field?: string
  /** What to do next, one sentence. */
  readonly hint?: string
  /** Values that would have been accepted; at most 20 are sent. */
  readonly allowed?: readonly string[]
  /** True when the same call may succeed later. */
  readonly retryable?: boolean
  readonly details?: Readonly<Record<string, unknown>>
}

/** A refusal that the caller can act on; it becomes an `isError` result. Anything else thrown is a bug and answered as `internal`. */
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

/** Throws all problems of a call as one error; returns when there are none. */
export function throwAll(problems: readonly ToolError[]): void {
  const [first, ...others] = problems
  if (first) throw others.length === 0 ? first : new ToolError(first.code, first.message, first.help, others)
}

/** The wire shape of one error. */
export interface ErrorBody {
  readonly code: ErrorCode
  readonly message: string
  readonly field?: string
  readonly hint?: string
  readonly allowed?: readonly string[]
  readonly retryable: boolean
  readonly details?: Readonly<Record<string, unknown>>
}

/** What a caller sent comes back in texts of errors; nobody wants to read all of it. */
const MOST_CHARACTERS = 2000
const FIELD_CHARACTERS = 300

/** Shapes an error for the wire; further problems of the call go to `details.problems`. */
export function errorBody(error: ToolError): ErrorBody {
  const { field, hint, allowed, retryable, details } = error.help
  const problems = error.others.map(errorBody)
  const more = problems.length > 0 ? { ...details, problems } : details
  return {
    code: error.code,
    message: clip(error.message, MOST_CHARACTERS),
    ...(field !== undefined && { field: clip(field, FIELD_CHARACTERS) }),
    ...(hint !== undefined && { hint: clip(hint, MOST_CHARACTERS) }),
    ...(allowed !== undefined && { allowed: allowed.slice(0, 20).map(name => clip(name, FIELD_CHARACTERS)) }),
    retryable: retryable ?? false,
    ...(more !== undefined && { details: more }),
  }
}

/** The deployment or the plugin set is wrong; stops the boot and names plugin, problem and fix. */
export class HostError extends Error {
  override readonly name = 'HostError'
}

/** The refusal of one more of what an owner may have so many of. @param what in the plural */
export function limitReached(most: number, what: string, help: ErrorHelp): ToolError {
  const message = `There are ${most} ${what} of this owner, which is the limit.`
  return new ToolError('limit_exceeded', message, { ...help, details: { limit: most } })
}
