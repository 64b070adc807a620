import { nameKey, quoteName, ToolError } from 'tasuki/plugin'
import type { PickOptions, Placement, PlaceRow } from './placement.ts'

/** Picks the row of a project that a text names. @throws ToolError not_found, ambiguous_ref */
export function pickNamed<T extends PlaceRow, R extends T>(
  placement: Placement<T>,
  rows: readonly R[],
  text: string,
  options: PickOptions,
): R {
  const found = findNamed(placement, rows, text, options)
  if (found instanceof ToolError) throw found
  return found
}

/**
 * Finds the row that a text names, or returns the error. The text is an id, a path, the bare name of one row, or a symbol. A full path
 * takes precedence over a bare name.
 */
export function findNamed<T extends PlaceRow, R extends T>(
  placement: Placement<T>,
  rows: readonly R[],
  text: string,
  options: PickOptions,
): R | ToolError {
  const word = nameKey(text)
  const symbol = placement.symbols?.find(each => each.word === word)
  if (symbol) return symbol.find(rows, options)
  const key = placement.keyOf(text)
  const exact = rows.find(row => row.id === word) ?? rows.find(row => row.pathKey === key)
  if (exact) return exact
  const { field, projectKey } = options
  const matches = rows.filter(row => row.key === key)
  if (matches[0] && matches.length === 1) return matches[0]
  if (matches.length > 1)
    return ambiguous(matches, `${projectKey} has ${matches.length} ${placement.noun}s named ${quoteName(text)}.`, field)
  const open = rows.filter(row => !placement.refuse?.({ from: null, to: row, field }))
  const allowed = open.slice(0, placement.mostAllowed).map(row => row.path)
  return notFoundError(placement, allowed, text, options)
}

/** Creates the error for a text that names nothing in a project. */
export function notFoundError(
  { noun, missingHint: hint }: Pick<Placement, 'noun' | 'missingHint'>,
  allowed: readonly string[],
  text: string,
  { projectKey, field }: PickOptions,
): ToolError {
  return new ToolError('not_found', `${projectKey} has no ${noun} ${quoteName(text)}.`, { field, allowed, hint })
}

/** Creates the error for a text that may name several rows. */
export function ambiguous(rows: readonly PlaceRow[], message: string, field: string): ToolError {
  const allowed = rows.map(row => row.path)
  return new ToolError('ambiguous_ref', message, { field, allowed, hint: 'Give the full path.' })
}
