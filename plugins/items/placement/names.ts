import { nameKey, normalizeText, quoteName, ToolError } from 'tasuki/plugin'

/** Normalizes a path for comparison: the keys of its names joined by `/`; whitespace and slashes around names are ignored. */
export function pathKey(path: string): string {
  const keys = normalizeText(path).split('/').map(nameKey)
  const first = keys.findIndex(key => key !== '')
  return first === -1 ? '' : keys.slice(first, keys.findLastIndex(key => key !== '') + 1).join('/')
}

export interface NameRules {
  /** The noun for errors: `area name`, `label`. */
  readonly noun: string
  /** In characters. */
  readonly max: number
  /** Refuses `/`, which separates the names of a path, with this hint on how to name the parent. */
  readonly slashHint?: string
  /** Reserved words with a meaning of their own, as name keys. */
  readonly reserved?: readonly string[]
  /** Parameter name for errors; default name. */
  readonly field?: string
}

/** Normalizes a name to its stored form. @throws ToolError invalid_argument for text that breaks the rules */
export function cleanName(text: string, { noun, max, slashHint, reserved = [], field = 'name' }: NameRules): string {
  const name = text.trim()
  const key = nameKey(name)
  const { length } = Array.from(name)
  const refuse = (problem: string, hint = `A ${noun.split(' ').at(-1)} is 1 to ${max} characters of text.`): never => {
    throw new ToolError('invalid_argument', `${quoteName(text)} is no ${noun}: ${problem}.`, { field, hint })
  }
  if (key === '') refuse('it has only spaces')
  if (length > max) refuse(`it has ${length} characters`)
  if (slashHint !== undefined && key.includes('/'))
    refuse('a name may not contain "/", which joins names to paths', slashHint)
  if (reserved.includes(key)) refuse(`that word already means a ${noun.split(' ')[0]}`)
  return name
}
