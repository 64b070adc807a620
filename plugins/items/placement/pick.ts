import { nameKey, ToolError } from 'tasuki/plugin'
import type { Placement, PlaceRow } from './placement.ts'

export interface PickOptions {
  /** Of the rows, for errors. */
  readonly projectKey: string
  /** The parameter that the text came from. */
  readonly field: string
}

/** What `findNamed` needs to know of a placement. */
type Naming<T extends PlaceRow> = Pick<
  Placement<T>,
  'noun' | 'keyOf' | 'symbols' | 'refuseEntry' | 'missingHint' | 'mostAllowed'
>

/** Picks the row of a project that a text names. @throws ToolError not_found, ambiguous_ref */
export function pickNamed<T extends PlaceRow, R extends T>(
  naming: Naming<T>,
  rows: readonly R[],
  text: string,
  options: PickOptions,
): R {
  const found = findNamed(naming, rows, text, options)
  if (found instanceof ToolError) throw found
  return found
}

/**
 * Finds the row that a text names, or why there is none: an id, a path, the bare name of one row, or a word that stands for one.
 * A full path wins over a bare name.
 */
export function findNamed<T extends PlaceRow, R extends T>(
  naming: Naming<T>,
  rows: readonly R[],
  text: string,
  options: PickOptions,
): R | ToolError {
  const word = nameKey(text)
  const symbol = naming.symbols?.find(each => each.word === word)
  if (symbol) return symbol.find(rows, options)
  const key = naming.keyOf(text)
  const exact = rows.find(row => row.id === word) ?? rows.find(row => row.pathKey === key)
  if (exact) return exact
  const { noun, mostAllowed } = naming
  const { projectKey, field } = options
  const named = rows.filter(row => row.key === key)
  if (named[0] && named.length === 1) return named[0]
  if (named.length > 1) return ambiguous(named, `${projectKey} has ${named.length} ${noun}s named ${text}.`, field)
  const open = rows.filter(row => !naming.refuseEntry?.(row, field))
  const allowed = open.slice(0, mostAllowed).map(row => row.path)
  return notFound(naming, allowed, text, options)
}

/** The refusal of a text that names nothing of a project. */
export function notFound(
  { noun, missingHint: hint }: Pick<Placement, 'noun' | 'missingHint'>,
  allowed: readonly string[],
  text: string,
  { projectKey, field }: PickOptions,
): ToolError {
  return new ToolError('not_found', `${projectKey} has no ${noun} ${text}.`, { field, allowed, hint })
}

/** The refusal of a text that may mean several rows. */
export function ambiguous(rows: readonly PlaceRow[], message: string, field: string): ToolError {
  return new ToolError('ambiguous_ref', message, {
    field,
    allowed: rows.map(row => row.path),
    hint: 'Give the full path.',
  })
}
