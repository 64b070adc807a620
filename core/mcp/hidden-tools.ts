import { errorBody, type ToolError } from '../plugin/errors.ts'
import { mentionsHidden, removeHiddenMentions, type Hides } from '../runtime/registry/mentions.ts'

/** Replacement for a hint that names only tools hidden from the connection. */
const REPLACEMENT_HINT =
  'This connection does not have the tool that helps here; connect with a wider profile or scope.'

/** Removes from hints and warnings the sentences that name hidden tools. @param json the answer */
export function withoutHiddenTools(json: string, hides: Hides | null): string {
  if (hides === null || !(json.includes('"hint":') || json.includes('"warnings":')) || !mentionsHidden(json, hides))
    return json
  return JSON.stringify(
    JSON.parse(json, (key, value: unknown) => {
      if (key === 'hint' && typeof value === 'string') return removeHiddenMentions(value, hides) || REPLACEMENT_HINT
      if (key !== 'warnings' || !Array.isArray(value)) return value
      // A warning states a fact, so it stays even if nothing is left after the removal.
      return value.map((warning: unknown) =>
        typeof warning === 'string' ? removeHiddenMentions(warning, hides) || warning : warning,
      )
    }),
  )
}

/** Returns the error body for a connection, without references to hidden tools. */
export function visibleErrorBody(error: ToolError, hides: Hides | null): object {
  return JSON.parse(withoutHiddenTools(JSON.stringify(errorBody(error)), hides)) as object
}
