import { ToolError } from 'tasuki/plugin'

export const NAME_MAX = 64

/** What two names are compared by: the same label whatever the case and width. */
export function labelKey(name: string): string {
  return name.normalize('NFKC').trim().toLowerCase()
}

/** A name as it is stored. @throws ToolError invalid_argument for blank and for over-long text */
export function labelName(text: string, field: string): string {
  const name = text.trim()
  const length = Array.from(name).length
  if (labelKey(name) !== '' && length <= NAME_MAX) return name
  const problem = length > NAME_MAX ? `it has ${length} characters` : 'it has only spaces'
  throw new ToolError('invalid_argument', `"${text}" is no label: ${problem}.`, {
    field,
    hint: `A label is 1 to ${NAME_MAX} characters of text.`,
  })
}
