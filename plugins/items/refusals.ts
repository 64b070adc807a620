import { nothingToChange, ToolError } from 'tasuki/plugin'

/** Returns the error instead of throwing it, so that the rest of a batch continues. */
export function catchToolError<T>(run: () => T): T | ToolError {
  try {
    return run()
  } catch (error) {
    if (error instanceof ToolError) return error
    throw error
  }
}

/** Runs one step of a write; an error becomes a problem of the item, so that a call reports all problems together. */
export async function collectProblems(
  item: { readonly problems: ToolError[] },
  step: () => Promise<void> | void,
): Promise<void> {
  try {
    await step()
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    item.problems.push(error)
  }
}

/** Combines several errors into one; undefined for none. */
export function combineErrors([first, ...others]: readonly ToolError[]): ToolError | undefined {
  return first && others.length > 0 ? new ToolError(first.code, first.message, first.help, others) : first
}

/** @throws ToolError missing_argument if the call has only the named parameter */
export function requireChange(input: object, besides: string): void {
  if (Object.keys(input).some(name => name !== besides)) return
  throw nothingToChange(
    `Give at least one field besides ${besides}. null clears a priority and what its description says.`,
  )
}

/** A reference that a bulk call rejected, with the reason. */
export interface Refusal {
  /** The reference as shown in errors. */
  readonly ref: string
  readonly error: ToolError
}

/** Formats why parts of a bulk call fail: each reason once, with its references. Empty if nothing fails. */
export function describeRefusals(refusals: readonly Refusal[], verdict: string): readonly string[] {
  if (refusals.length === 0) return []
  const reasons = new Map<string, string[]>()
  for (const { ref, error } of refusals) {
    const message = [error, ...error.others].map(each => each.message).join(' ')
    const parts = message.replace(/\.$/, '').split(ref)
    // INBOX#1 must not match within INBOX#12.
    const reason = parts.slice(1).some(part => /^\d/.test(part)) ? parts.join(ref) : parts.join(REF)
    reasons.set(reason, [...(reasons.get(reason) ?? []), ref])
  }
  const clauses = [...reasons].map(([reason, refs]) => {
    const refList = refs.join(', ')
    return reason.includes(REF) ? reason.replaceAll(REF, () => refList) : `${refList}: ${reason}`
  })
  return [`${refusals.length} ${verdict}: ${clauses.join('; ')}`]
}

/** Placeholder of the reference in a reason; no text of a call contains it. */
const REF = '\0'
