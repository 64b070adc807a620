import { ToolError } from 'tasuki/plugin'

export const NAME_MAX = 120

/** What two names are compared by: the same version whatever the case and width. */
export function versionKey(name: string): string {
  return name.normalize('NFKC').trim().toLowerCase()
}

/** A name as it is stored. @throws ToolError invalid_argument for blank text */
export function versionName(text: string): string {
  const name = text.trim()
  if (versionKey(name) !== '') return name
  throw new ToolError('invalid_argument', `"${text}" is no version name: it has only spaces.`, {
    field: 'name',
    hint: `A name is 1 to ${NAME_MAX} characters of text.`,
  })
}
