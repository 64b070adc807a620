import { errorBody, type ToolError } from '../plugin/errors.ts'
import { namesHidden, withoutHidden, type Hides } from '../runtime/registry/mentions.ts'

/** The hint of a refusal whose own hint names nothing but tools that the connection does not show. */
const WIDER = 'This connection does not have the tool that helps here; connect with a wider profile or scope.'

/** An answer as JSON, in which hints and warnings name no tool that the connection does not show. */
export function withoutHiddenTools(json: string, hides: Hides | null): string {
  if (hides === null || !(json.includes('"hint":') || json.includes('"warnings":')) || !namesHidden(json, hides))
    return json
  return JSON.stringify(
    JSON.parse(json, (key, value: unknown) => {
      if (key === 'hint' && typeof value === 'string') return withoutHidden(value, hides) || WIDER
      if (key !== 'warnings' || !Array.isArray(value)) return value
      // A warning tells a fact, which is not lost for the sake of a name.
      return value.map((warning: unknown) =>
        typeof warning === 'string' ? withoutHidden(warning, hides) || warning : warning,
      )
    }),
  )
}

/** The body of an error as a connection gets it. */
export function shownError(error: ToolError, hides: Hides | null): object {
  return JSON.parse(withoutHiddenTools(JSON.stringify(errorBody(error)), hides)) as object
}
