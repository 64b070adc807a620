import { ToolError } from 'tasuki/plugin'

export const NAME_MAX = 120
/** Levels of sprints; the SQL of paths joins as many. */
export const MAX_DEPTH = 3
export const PATH_MAX = MAX_DEPTH * (NAME_MAX + 3)
/** Words that stand for a sprint where a name is expected. */
export const SYMBOLS: readonly string[] = ['@active', '@next']

/** What two names are compared by: the same name whatever the case and width. */
export function sprintKey(name: string): string {
  return name.normalize('NFKC').trim().toLowerCase()
}

/** A path as it is compared: the keys of its names joined by `/`; spaces and slashes around names do not count. */
export function pathKey(path: string): string {
  const keys = path.normalize('NFKC').split('/').map(sprintKey)
  while (keys[0] === '') keys.shift()
  while (keys.at(-1) === '') keys.pop()
  return keys.join('/')
}

/** A name as it is stored. @throws ToolError invalid_argument for blank text, a slash in any width and the words that stand for sprints */
export function sprintName(text: string): string {
  const name = text.trim()
  const key = sprintKey(name)
  const problem =
    key === ''
      ? 'it has only spaces'
      : key.includes('/')
        ? 'a name may not contain "/", which joins names to paths'
        : SYMBOLS.includes(key)
          ? 'that word stands for a sprint already'
          : null
  if (problem === null) return name
  throw new ToolError('invalid_argument', `"${text}" is no sprint name: ${problem}.`, {
    field: 'name',
    hint: key.includes('/') ? 'Give the sprint above as parent.' : `A name is 1 to ${NAME_MAX} characters of text.`,
  })
}
