import { nameKey, normalizeText, quoteName, ToolError } from 'tasuki/plugin'

/** A path as it is compared: the keys of its names joined by `/`; spaces and slashes around names do not count. */
export function pathKey(path: string): string {
  const keys = normalizeText(path).split('/').map(nameKey)
  const first = keys.findIndex(key => key !== '')
  return first === -1 ? '' : keys.slice(first, keys.findLastIndex(key => key !== '') + 1).join('/')
}

export interface NameRules {
  /** What the text is, for errors: `area name`, `label`. */
  readonly noun: string
  /** In characters. */
  readonly max: number
  /** Refuses `/`, which joins names to paths, and tells how to name the parent instead. */
  readonly slashHint?: string
  /** Words that stand for one of them, as name keys. */
  readonly reserved?: readonly string[]
  /** The parameter that the text came from; default name. */
  readonly field?: string
}

/** A name as it is stored. @throws ToolError invalid_argument for text that the rules do not allow */
export function cleanName(text: string, { noun, max, slashHint, reserved = [], field = 'name' }: NameRules): string {
  const name = text.trim()
  const key = nameKey(name)
  const { length } = Array.from(name)
  const hasSlash = slashHint !== undefined && key.includes('/')
  const refuse = (problem: string, hint = `A ${noun.split(' ').at(-1)} is 1 to ${max} characters of text.`): never => {
    throw new ToolError('invalid_argument', `${quoteName(text)} is no ${noun}: ${problem}.`, { field, hint })
  }
  if (key === '') refuse('it has only spaces')
  if (length > max) refuse(`it has ${length} characters`)
  if (hasSlash) refuse('a name may not contain "/", which joins names to paths', slashHint)
  if (reserved.includes(key)) refuse(`that word stands for a ${noun.split(' ')[0]} already`)
  return name
}
