import { ToolError } from 'tasuki/plugin'

export const NAME_MAX = 80
/** Levels of areas; the SQL of paths joins as many. */
export const MAX_DEPTH = 3
export const PATH_MAX = MAX_DEPTH * (NAME_MAX + 3)

/** What two names are compared by: the same name whatever the case and width. */
export function areaKey(name: string): string {
  return name.normalize('NFKC').trim().toLowerCase()
}

/** A path as it is compared: the keys of its names joined by `/`; spaces and slashes around names do not count. */
export function pathKey(path: string): string {
  const keys = path.normalize('NFKC').split('/').map(areaKey)
  while (keys[0] === '') keys.shift()
  while (keys.at(-1) === '') keys.pop()
  return keys.join('/')
}

/** A name as it is stored. @throws ToolError invalid_argument for blank text and for a slash in any width */
export function areaName(text: string): string {
  const name = text.trim()
  const key = areaKey(name)
  if (key !== '' && !key.includes('/')) return name
  const problem = key === '' ? 'it has only spaces' : 'a name may not contain "/", which joins names to paths'
  throw new ToolError('invalid_argument', `"${text}" is no area name: ${problem}.`, {
    field: 'name',
    hint:
      key === ''
        ? `A name is 1 to ${NAME_MAX} characters of text.`
        : 'Create the areas one by one, each with its parent_path.',
  })
}
